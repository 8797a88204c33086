// The Node end of the bridge: an agent in JavaScript, served to the harness by lines of JSON.
//
// `serve({name, version, make, ...})` is all that an agent's program calls; docs/bridges.md has an
// example. The child acts only when it is told something, until nothing is left to do (clock.mjs),
// and then waits in a blocking read: while it is idle, nothing of it can move.
import { AsyncLocalStorage } from 'node:async_hooks';
import fs from 'node:fs';
import * as clock from './clock.mjs';

const PROTOCOL = 1;
clock.install();
// What the agent prints must not get between the messages.
process.stdout.write = process.stderr.write.bind(process.stderr);

const running = new AsyncLocalStorage(); // the number of the run in whose context something happens
let trial; // the trial in progress

const say = (message) => {
  const line = Buffer.from(JSON.stringify(message) + '\n');
  for (let done = 0; done < line.length; ) done += fs.writeSync(1, line, done);
};

/** An error that a scripted stream raises. */
export class ProviderError extends Error {
  constructor({ message, ...words }) {
    super(message);
    Object.assign(this, { name: 'ProviderError' }, words);
  }
}

/** An error that a scripted tool raises. */
export class ToolFailure extends Error {
  name = 'ToolFailure';
}

/** The agent cannot do what the scenario asks. */
export class NotApplicable extends Error {
  name = 'NotApplicable';
}

/** One trial: the world that `make` gets, and the runs in progress. */
class Trial {
  constructor(tools) {
    this.numbers = { stream: 0, call: 0 };
    this.waiting = new Map(); // what somebody waits for -> how to wake them
    this.open = []; // runs that have not settled
    this.last = 0;
    this.tools = tools.map((tool) => new Tool(this, tool));
  }

  /** Say something, unless the trial is over: what is left of it is nobody's business. */
  say(message) {
    if (trial === this) say(message);
  }

  /** The run that something is done for. */
  get run() {
    return running.getStore() ?? this.open[0] ?? this.last;
  }

  /** Ask the model. `signal` is an AbortSignal that tells the stream; returns a `Stream`. */
  request({ messages, tools = [], streaming = true }, { signal } = {}) {
    const stream = ++this.numbers.stream;
    this.say({ type: 'request', run: this.run, stream, messages, tools, streaming });
    return new Stream(this, stream, signal);
  }

  /** Say that the user saw `text`. */
  shown(text, { reasoning = false } = {}) {
    if (text) this.say({ type: 'shown', run: this.run, text, reasoning });
  }

  /** Report a record, such as `{type: 'turn-start', turn: 1}`. */
  report(record) {
    this.say({ type: 'report', run: this.run, record });
  }

  /** Wait for the harness's answer for `key`. */
  answer(key) {
    return new Promise((resolve) => this.waiting.set(key, resolve));
  }

  wake(key, message) {
    const resolve = this.waiting.get(key);
    this.waiting.delete(key);
    resolve?.(message);
  }
}

/** A stream of chunks: an async iterator, with `cancel()` and `close()`. */
class Stream {
  constructor(world, number, signal) {
    this.world = world;
    this.number = number;
    this.over = false;
    const tell = () => this.over || world.say({ type: 'tell', stream: number, how: 'signal' });
    if (signal?.aborted) tell();
    else signal?.addEventListener('abort', tell, { once: true });
  }
  [Symbol.asyncIterator]() {
    return this;
  }
  async next() {
    this.world.say({ type: 'read', stream: this.number });
    const said = await this.world.answer(`stream ${this.number}`);
    if (said.type === 'deliver') return { done: false, value: said.chunk };
    this.over = true;
    if (said.type === 'break') throw new ProviderError(said.error);
    return { done: true, value: undefined };
  }
  async return() {
    await this.close();
    return { done: true, value: undefined };
  }
  cancel() {
    this.world.say({ type: 'tell', stream: this.number, how: 'call' });
  }
  async close() {
    this.over = true;
    this.world.say({ type: 'shut', stream: this.number });
    const { error } = await this.world.answer(`close ${this.number}`);
    if (error) throw new ProviderError(error);
  }
}

/** A tool of the scenario. */
class Tool {
  constructor(world, { name, schema, ends_turn = false }) {
    Object.assign(this, { world, name, schema, endsTurn: ends_turn });
  }
  /** Run the body; `args` as an object or JSON text. Rejects where the script says so. */
  async call(args, { callId, signal }) {
    const { world, name } = this;
    const call = ++world.numbers.call;
    const text = typeof args === 'string' ? args : JSON.stringify(args ?? {});
    world.say({ type: 'call', run: world.run, call, name, args: text, call_id: callId });
    const flag = () => world.say({ type: 'flag', call });
    if (signal?.aborted) flag();
    else signal?.addEventListener('abort', flag, { once: true });
    const said = await world.answer(`call ${call}`);
    signal?.removeEventListener('abort', flag);
    if (said.type === 'failure') throw new ToolFailure(said.text);
    return said.text;
  }
}

function prompt({ run, text, stream = true }) {
  const { agent } = trial;
  const mine = trial;
  mine.open.push(run);
  mine.last = run;
  running.run(run, async () => {
    const said = { type: 'settled', run };
    try {
      const outcome = await agent.prompt(text, { stream });
      Object.assign(said, { how: 'returned', outcome });
    } catch (error) {
      if (error instanceof NotApplicable) mine.say({ type: 'unable', reason: error.message });
      const named = `${error?.name ?? 'Error'}: ${error?.message ?? error}`;
      Object.assign(said, { how: 'raised', error: named, outcome: error?.outcome ?? 'failed' });
    }
    mine.open = mine.open.filter((one) => one !== run);
    mine.say(said);
  });
}

const HANDLERS = {
  prompt,
  cancel: ({ way, reason, run }) => trial.agent.cancel?.(way, reason, run),
  do: ({ verb, args }) => trial.agent[verb](args),
  configure: ({ settings }) =>
    say({ type: 'refused', names: [...trial.agent.configure(settings)] }),
  'ask-history': () => say({ type: 'history', messages: trial.agent.history() }),
  'ask-left': () => say({ type: 'left', items: [] }),
  wake: () => {},
};
const ANSWERS = {
  deliver: 'stream', end: 'stream', break: 'stream', unread: 'stream', closed: 'close',
  result: 'call', failure: 'call', dropped: 'call',
};

async function open(program, tools) {
  clock.restart();
  clock.rewind();
  trial = new Trial(tools);
  try {
    trial.agent = await program.make(trial);
  } catch (error) {
    if (!(error instanceof NotApplicable)) throw error;
    say({ type: 'unable', reason: error.message });
  }
}

async function close() {
  const { agent } = trial ?? {};
  trial = undefined; // what the agent says from here on is not heard
  await agent?.close?.();
  clock.restart();
}

function introduction({ name, version, contract = {}, cancelWays = [], can = [] }) {
  const words = { name, version, contract, cancel_ways: cancelWays, can };
  return { type: 'introduction', protocol: PROTOCOL, ...words };
}

async function hear(program, message) {
  const { type, at } = message;
  if (type === 'hello') return say(introduction(program));
  clock.advance(at);
  if (type === 'open') await open(program, message.tools ?? []);
  else if (type === 'close') await close();
  else if (type in ANSWERS) trial.wake(`${ANSWERS[type]} ${message.call ?? message.stream}`, message);
  else if (type in HANDLERS) HANDLERS[type](message);
  else throw new Error(`the harness said ${type}, which this end does not know`);
  await clock.untilQuiet();
  say({ type: 'idle', wake: clock.deadline() });
}

function* lines() {
  const piece = Buffer.alloc(65536);
  let held = Buffer.alloc(0);
  for (;;) {
    const end = held.indexOf(10);
    if (end >= 0) {
      yield held.subarray(0, end).toString();
      held = held.subarray(end + 1);
      continue;
    }
    const count = fs.readSync(0, piece);
    if (count === 0) return;
    held = Buffer.concat([held, piece.subarray(0, count)]);
  }
}

/**
 * Serve an agent until the harness closes our input. `program` has a name and version, `make(world)`
 * that gives an agent with `prompt(text)` and what else it can, and may declare `contract`,
 * `cancelWays` (["api"]) and `can`: the optional methods configure, history, steer, followUp.
 */
export async function serve(program) {
  const lost = (error) =>
    trial?.say({ type: 'lost', message: 'unhandled rejection', error: String(error) });
  process.on('unhandledRejection', lost);
  process.on('uncaughtException', lost);
  for (const line of lines()) await hear(program, JSON.parse(line));
  process.exit(0);
}
