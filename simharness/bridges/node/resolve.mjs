// `node --import resolve.mjs agent.mjs`: packages come from the folder in SIMHARNESS_NODE_ROOT.
//
// An agent's program lies beside the harness, the packages under test in a folder of their own.
// Also defines what Node 20 lacks and packages for newer ones use.
import { register } from 'node:module';
import { pathToFileURL } from 'node:url';

Promise.withResolvers ??= function withResolvers() {
  const made = {};
  made.promise = new this((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
};

const root = process.env.SIMHARNESS_NODE_ROOT;
if (root) {
  const parent = JSON.stringify(pathToFileURL(`${root}/package.json`).href);
  const here = JSON.stringify(new URL('.', import.meta.url).href);
  const hook = `
    export async function resolve(specifier, context, next) {
      const bare = !/^([./]|node:|file:|data:)/.test(specifier);
      const ours = context.parentURL?.startsWith(${here});
      return next(specifier, bare && ours ? { ...context, parentURL: ${parent} } : context);
    }`;
  register(`data:text/javascript,${encodeURIComponent(hook)}`);
}
