// A small agent on the Node end: one request, a tool for each call, and waits where it is told to.
import { serve, ToolFailure } from '../../simharness/bridges/node/end.mjs';

await serve({
  name: 'mini-node',
  version: '1',
  cancelWays: ['api'],
  can: ['history'],
  contract: { cut_message: 'kept' },
  make: (world) => new Agent(world),
});

function Agent(world) {
  const messages = [];
  let controller;
  const add = (role, text, words = {}) =>
    messages.push({ role, blocks: [{ type: 'text', text }], ...words });

  this.history = () => messages;
  this.cancel = () => controller?.abort();
  this.prompt = async (text) => {
    controller = new AbortController();
    if (text === 'wait') await new Promise((resolve) => setTimeout(resolve, 10_000));
    if (text === 'random') world.report({ type: 'notice', kind: 'random', text: random() });
    if (text === 'reject') Promise.reject(new Error('nobody looks'));
    if (text === 'print') console.log('to the terminal');
    if (text === 'throw') throw new RangeError('on purpose');
    add('user', text);
    for (;;) {
      const { said, calls, cut } = await ask();
      if (said || calls.length) messages.push(answer(said, calls, cut));
      if (cut) return 'cancelled';
      if (!calls.length) return 'completed';
      await Promise.all(calls.map(run));
    }
  };

  async function ask() {
    let said = '';
    const calls = [];
    const { signal } = controller;
    const tools = world.tools.map((tool) => tool.name);
    for await (const chunk of world.request({ messages: [...messages], tools }, { signal })) {
      if (chunk.type === 'text-delta') world.shown(chunk.text);
      if (chunk.type === 'text-delta') said += chunk.text;
      if (chunk.type === 'call-delta' && chunk.id) calls.push({ ...chunk, args: '' });
      if (chunk.type === 'call-delta') calls.at(-1).args += chunk.args ?? '';
      if (chunk.type === 'aborted') return { said, calls: [], cut: true };
    }
    return { said, calls, cut: signal.aborted };
  }

  function answer(said, calls, interrupted) {
    const words = said ? [{ type: 'text', text: said }] : [];
    const asked = calls.map(({ id, name, args }) => ({ type: 'call', id, name, args }));
    return { role: 'assistant', blocks: [...words, ...asked], ...(interrupted && { interrupted }) };
  }

  async function run({ id, name, args }) {
    const tool = world.tools.find((one) => one.name === name);
    try {
      add('tool', await tool.call(args, { callId: id }), { call_id: id });
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      add('tool', error.message, { call_id: id, is_error: true });
    }
  }

  const random = () => `${Math.random()} ${crypto.randomUUID()} ${Date.now()} ${performance.now()}`;
}
