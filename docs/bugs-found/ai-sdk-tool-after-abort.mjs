// ai-sdk: a tool starts after the abort, and a run is over while its tools still run.
//
// The abort is not looked at before a tool is called: if the model still answers, because it is too
// late or because it ends its answer properly, its calls are run. And the stream of an aborted run
// ends when one tool has ended, whatever the others do: what they do later belongs to no run.
// Run it in a folder where `npm install ai` was done.
import assert from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import { dynamicTool, jsonSchema, stepCountIs, streamText } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';

const LASTS_MS = 200;
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const finish = { type: 'finish', finishReason: { unified: 'tool-calls', raw: '' }, usage };
const answer = (stream, ...names) => {
  for (const name of names) {
    stream.enqueue({ type: 'tool-call', toolCallId: name, toolName: name, input: '{}' });
  }
  stream.enqueue(finish);
  stream.close();
};

/** Run a prompt whose model behaves as `start` says; what happened, in order. */
async function run(start) {
  const controller = new AbortController();
  const happened = [];
  const made = (name, execute) =>
    dynamicTool({
      inputSchema: jsonSchema({ type: 'object' }),
      execute: async (_, { abortSignal }) => {
        happened.push(`${name} starts`);
        await execute(abortSignal);
        happened.push(`${name} has ended`);
        return 'done';
      },
    });
  const tools = {
    write: made('write', () => sleep(LASTS_MS)), // it cannot be stopped
    polite: made('polite', (signal) => sleep(LASTS_MS, undefined, { signal })),
  };
  controller.signal.addEventListener('abort', () => happened.push('abort'));
  const model = new MockLanguageModelV3({
    doStream: async () => ({
      stream: new ReadableStream({ start: (stream) => start(stream, controller) }),
    }),
  });
  const result = streamText({
    model,
    prompt: 'Write',
    tools,
    stopWhen: stepCountIs(5),
    abortSignal: controller.signal,
    onError: () => {},
  });
  for await (const _ of result.toUIMessageStream());
  happened.push('run over');
  await sleep(2 * LASTS_MS);
  return happened;
}

const late = await run((stream, controller) => {
  // the rest of its answer was on its way
  controller.signal.addEventListener('abort', () => answer(stream, 'write'));
  setTimeout(() => controller.abort(), 20);
});
console.log(late.join(', '));
assert(late.indexOf('write starts') > late.indexOf('abort'), 'no tool starts after the abort');

const orphan = await run((stream, controller) => {
  answer(stream, 'write', 'polite');
  setTimeout(() => controller.abort(), 20);
});
console.log(orphan.join(', '));
assert(orphan.indexOf('write has ended') > orphan.indexOf('run over'), 'the run waits for tools');
