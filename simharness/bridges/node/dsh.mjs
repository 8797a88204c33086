// DeepSeek Harness: `@deepseek-ai/dsh-agent-loop` with the plugins it needs, and a model of ours.
//
// The packages run unchanged. This program plays the part of an `LlmAdapter`, of the tools, and of
// the application that sends prompts. A turn of dsh is a run here, and a step there a turn.
import { NotApplicable, serve } from './end.mjs';

const { Context } = await import('@deepseek-ai/cordis');
const llm = await import('@deepseek-ai/dsh-llm');
const session = await import('@deepseek-ai/dsh-session');
const tools = await import('@deepseek-ai/dsh-tools');
const plugin = async (name) => (await import(`@deepseek-ai/dsh-${name}`)).default;
const PLUGINS = [
  llm.default, session.default, await plugin('system-prompt'), tools.default, await plugin('agent'),
];
const AgentLoop = await plugin('agent-loop');

const FINISHES = { tool_calls: 'tool-calls', length: 'max-tokens', stop: 'stop' };
const OUTCOMES = {
  completed: 'completed', aborted: 'cancelled', error: 'failed', 'max-tokens': 'limit',
  blocked: 'rejected',
};

/** One answer of the model: our chunks as those of an adapter, with blocks around them. */
class Answer {
  blocks = new Map(); // kind and number in our stream -> block, in the order of their starts

  *chunk(chunk) {
    switch (chunk.type) {
      case 'text-delta':
      case 'reasoning-delta': {
        const type = chunk.type === 'text-delta' ? 'text' : 'reasoning';
        const { block, index } = yield* this.at(type, chunk.index ?? 0, { type, text: '' });
        block.text += chunk.text;
        yield { type: chunk.type, index, text: chunk.text };
        break;
      }
      case 'call-delta': {
        const { id: given = '', name: called = '' } = chunk;
        const fresh = { type: 'tool-call', id: given, name: called, arguments: '' };
        const { block, index } = yield* this.at('tool-call', chunk.index, fresh);
        block.arguments += chunk.args ?? '';
        const { id, name } = block;
        yield { type: 'tool-call-delta', index, id, name, argumentsDelta: chunk.args ?? '' };
        break;
      }
      case 'usage-report':
        yield { type: 'usage', usage: { inputTokens: chunk.input, outputTokens: chunk.output } };
        break;
      case 'finish':
        yield* this.ends();
        yield* this.finish(FINISHES[chunk.reason ?? 'stop'] ?? 'error', chunk.reason);
        break;
      case 'aborted':
        yield* this.finish('aborted', chunk.reason ?? 'user', 'ABORTED');
        break;
      case 'failed':
        yield* this.finish('error', chunk.error.message, chunk.error.kind.toUpperCase());
        break;
    } // pings, starts and what no adapter knows are not passed on
  }

  *at(type, number, fresh) {
    const key = `${type} ${number}`;
    if (!this.blocks.has(key)) {
      const index = this.blocks.size;
      this.blocks.set(key, { block: fresh, index });
      yield { type: 'block-start', index, blockType: type };
    }
    return this.blocks.get(key);
  }

  *ends() {
    for (const { block, index } of this.blocks.values()) yield { type: 'block-end', index, block };
  }

  *finish(kind, message, code = 'UNKNOWN') {
    const failed = kind === 'aborted' || kind === 'error';
    const reason = failed ? { kind, failure: { message: String(message), code } } : { kind };
    yield { type: 'finish', reason };
  }
}

class Scripted extends llm.LlmAdapter {
  constructor(world) {
    super();
    this.world = world;
  }
  async resolveModel(provider, id) {
    return { provider, id, name: id };
  }
  async *stream(options) {
    const system = options.system ? [said('system', options.system)] : [];
    const messages = [...system, ...options.messages.flatMap(message)];
    const offered = (options.tools ?? []).map((tool) => tool.name);
    const answer = new Answer();
    const stream = this.world.request({ messages, tools: offered }, { signal: options.signal });
    for await (const chunk of stream) yield* answer.chunk(chunk);
  }
}

const said = (role, text) => ({ role, blocks: [{ type: 'text', text }] });
const textOf = (blocks) => blocks.map((block) => block.text ?? '').join('');

/** A message of dsh as ours: results of tools are messages of their own. */
function message({ role, content }) {
  const results = content.filter((block) => block.type === 'tool-result');
  if (results.length) {
    return results.map((block) => ({
      ...said('tool', textOf(block.content)),
      call_id: block.toolCallId,
      ...(block.isError ? { is_error: true } : {}),
    }));
  }
  const blocks = content.map((block) => {
    if (block.type === 'tool-call') {
      return { type: 'call', id: block.id, name: block.name, args: block.arguments };
    }
    return { type: block.type === 'reasoning' ? 'reasoning' : 'text', text: block.text ?? '' };
  });
  return [{ role, blocks }];
}

/** The record of one entry of the session log; undefined for what we have no word for. */
function record({ type, data }) {
  switch (type) {
    case 'turn/start':
      return { type: 'agent-start' };
    case 'turn/end':
      return { type: 'agent-end', outcome: OUTCOMES[data.reason.kind] ?? null };
    case 'step/start':
      return { type: 'turn-start', turn: data.step };
    case 'step/end':
      return { type: 'turn-end', turn: data.step };
    case 'tool/call': {
      const { callId, name } = data;
      return { type: 'tool-execution-start', call_id: callId, name, args: data.arguments };
    }
    case 'tool/result': {
      const [block] = data.message.content;
      const call = { call_id: block.toolCallId, name: data.name ?? '' };
      const result = textOf(block.content);
      return { type: 'tool-execution-end', ...call, result, is_error: block.isError === true };
    }
  }
  return undefined;
}

class Agent {
  static async make(world) {
    const ctx = new Context();
    for (const one of PLUGINS) await ctx.plugin(one);
    await ctx.plugin(AgentLoop, { agents: [] });
    ctx.llm.registerAdapter(['scripted'], new Scripted(world));
    const agent = new Agent();
    for (const tool of world.tools) ctx.tools.register(agent.fixture(tool));
    agent.ctx = ctx;
    agent.loop = ctx.agentLoop.create(session.SessionId('trial'), {
      provider: 'scripted',
      model: 'scripted',
    });
    ctx.on('session/event', (_, event) => agent.look(world, event));
    return agent;
  }

  concurrent = true;

  fixture(tool) {
    if (tool.endsTurn) throw new NotApplicable('dsh has no tools that end a turn');
    return tools.defineContentToolFixture({
      name: tool.name,
      description: tool.name,
      parameters: {},
      isConcurrencySafe: () => this.concurrent,
      execute: async (args, { callId, signal }) => {
        const text = await tool.call(args, { callId, signal });
        return [{ type: 'text', text }];
      },
    });
  }

  look(world, event) {
    if (event.type === 'assistant/chunk') {
      const { type, text } = event.data.chunk;
      if (type.endsWith('t-delta')) world.shown(text);
      if (type === 'reasoning-delta') world.shown(text, { reasoning: true });
    }
    const found = record(event);
    if (found) world.report(found);
    if (event.type === 'turn/end') this.reason = event.data.reason;
  }

  async prompt(text) {
    this.reason = undefined;
    this.loop.followup(userMessage(text));
    await this.loop.whenIdle();
    return OUTCOMES[this.reason?.kind];
  }
  cancel() {
    this.loop.cancel({ kind: 'user' });
  }
  steer({ text }) {
    this.loop.steer(userMessage(text));
  }
  follow_up({ text }) {
    this.loop.followup(userMessage(text));
  }
  configure({ tools: order, ...rest }) {
    this.concurrent = order !== 'sequential';
    return [...Object.keys(rest), ...(order === 'batched' ? ['tools'] : [])];
  }
  history() {
    return this.loop.session.deriveMessages().flatMap(message);
  }
}

const userMessage = (text) =>
  llm.createUserMessage({ content: [{ type: 'text', text }], source: { kind: 'user' } });

const version = process.env.SIMHARNESS_AGENT_VERSION ?? 'unknown';
await serve({
  name: 'dsh',
  version,
  make: (world) => Agent.make(world),
  cancelWays: ['api'],
  can: ['configure', 'history', 'steer', 'follow_up'],
  // What the packages' own notes and tests promise. A cancelled turn keeps what was shown: the model
  // sees what the user saw.
  contract: {
    cut_message: 'kept',
    cancel_marker: 'none',
    empty_cancel: 'nothing',
    unstarted_call: 'answered',
    late_tool_result: 'aborted-error',
    failed_final: 'nothing',
    error_content: 'dropped',
    silent_close: 'completed',
    cause_precedence: 'first',
    turn_scope: 'model-call',
    reports: ['agent', 'turn', 'tool'],
  },
});
