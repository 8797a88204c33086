// The Vercel AI SDK: an agent as its documentation builds one, and a model of ours.
//
// `streamText` with tools; what the user sees is its stream of UI message chunks, what is kept are
// the UI messages that `onFinish` gives (the page on message persistence), and the next request is
// made of them by `convertToModelMessages`. The package runs unchanged.
import { NotApplicable, ProviderError, serve } from './end.mjs';

const { APICallError, convertToModelMessages, dynamicTool, jsonSchema, stepCountIs, streamText } =
  await import('ai');

const FINISHES = {
  stop: 'stop', tool_calls: 'tool-calls', length: 'length', content_filter: 'content-filter',
};
const STATUS = { rate_limit: 429, overloaded: 529, auth: 401, bad_request: 400, timeout: 504 };
const OUTCOMES = {
  stop: 'completed', 'tool-calls': 'completed', length: 'limit', error: 'failed',
}; // `content-filter` and `other` say nothing of the end that we have a word for
const usage = (input, output) => ({
  inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: output, text: output, reasoning: undefined },
});

/** One answer: our chunks as stream parts, as the SDK's own providers write them. */
class Answer {
  open = new Map(); // id of a text or reasoning -> its kind
  calls = new Map(); // number of a call -> {id, name, input}
  used = usage(undefined, undefined);
  finished = false;

  *parts(chunk) {
    switch (chunk.type) {
      case 'text-delta':
        yield* this.words('text', chunk);
        break;
      case 'reasoning-delta':
        yield* this.words('reasoning', chunk);
        break;
      case 'call-delta':
        yield* this.call(chunk);
        break;
      case 'usage-report':
        this.used = usage(chunk.input, chunk.output);
        break;
      case 'finish':
        yield* this.end(FINISHES[chunk.reason ?? 'stop'] ?? 'other', chunk.reason ?? 'stop');
        break;
      case 'failed':
        yield { type: 'error', error: apiError(chunk.error) };
        break;
    } // starts, pings and what no provider knows are not passed on
  }

  *words(kind, { text, index = 0 }) {
    const id = `${kind}-${index}`;
    for (const other of [...this.open.keys()]) if (other !== id) yield* this.close(other);
    if (!this.open.has(id)) {
      this.open.set(id, kind);
      yield { type: `${kind}-start`, id };
    }
    yield { type: `${kind}-delta`, id, delta: text };
  }

  *close(id) {
    yield { type: `${this.open.get(id)}-end`, id };
    this.open.delete(id);
  }

  *call({ index, id = '', name = '', args = '' }) {
    if (!this.calls.has(index)) {
      this.calls.set(index, { id, name, input: '' });
      yield { type: 'tool-input-start', id, toolName: name };
    }
    const call = this.calls.get(index);
    call.input += args;
    if (args) yield { type: 'tool-input-delta', id: call.id, delta: args };
  }

  *end(unified, raw) {
    for (const id of [...this.open.keys()]) yield* this.close(id);
    for (const { id, name, input } of raw === undefined ? [] : this.calls.values()) {
      yield { type: 'tool-input-end', id };
      yield { type: 'tool-call', toolCallId: id, toolName: name, input };
    }
    this.finished = true;
    yield { type: 'finish', finishReason: { unified, raw }, usage: this.used };
  }
}

/** What a provider's client throws for an error of the API. */
function apiError({ message, kind, retryable = false, retry_after_s: wait = null }) {
  return new APICallError({
    message, url: 'http://scripted.invalid', requestBodyValues: {},
    statusCode: STATUS[kind] ?? 500, isRetryable: retryable,
    responseHeaders: wait === null ? {} : { 'retry-after': String(wait) },
  });
}

const aborted = () => new DOMException('This operation was aborted', 'AbortError');

/** The model: what it is asked goes to the harness, the first chunk opens the response. */
class Scripted {
  specificationVersion = 'v3';
  provider = 'simharness';
  modelId = 'scripted';
  supportedUrls = {};

  constructor(world) {
    this.world = world;
  }

  async doStream({ prompt, tools = [], abortSignal }) {
    const asked = { messages: prompt.flatMap(message), tools: tools.map((one) => one.name) };
    const source = this.world.request(asked, { signal: abortSignal });
    const answer = new Answer();
    const first = await this.next(source, true);
    const pull = async (controller) => {
      for (let item = first.shift() ?? (await this.next(source)); ; item = await this.next(source)) {
        if (item.done && !answer.finished) for (const part of answer.end('other')) controller.enqueue(part);
        if (item.done) return controller.close();
        const parts = [...answer.parts(item.value)];
        for (const part of parts) controller.enqueue(part);
        if (parts.length) return undefined;
      }
    };
    const cancel = () => (source.over ? undefined : source.close());
    return { stream: new ReadableStream({ pull, cancel }, { highWaterMark: 0 }) };
  }

  /** The next chunk; for the first one in a list. A broken connection throws, as fetch does. */
  async next(source, first = false) {
    let item;
    try {
      item = await source.next();
      while (first && item.value?.type === 'stream-start') item = await source.next();
    } catch (error) {
      throw first && error instanceof ProviderError ? apiError(error) : error;
    }
    if (item.value?.type === 'aborted') throw aborted();
    if (first && item.value?.type === 'failed') throw apiError(item.value.error);
    return first ? [item] : item;
  }
}

const said = (role, text) => ({ role, blocks: [{ type: 'text', text }] });
const plain = (value) => (typeof value === 'string' ? value : JSON.stringify(value));

/** A message of a prompt as ours: results of tools are messages of their own. */
function message({ role, content }) {
  if (typeof content === 'string') return [said(role, content)];
  const results = content.filter((part) => part.type === 'tool-result');
  const blocks = content.flatMap((part) => {
    if (part.type === 'tool-call') {
      const { toolCallId: id, toolName: name, input } = part;
      return [{ type: 'call', id, name, args: JSON.stringify(input) }]; // as its providers write it
    }
    return ['text', 'reasoning'].includes(part.type) ? [{ type: part.type, text: part.text }] : [];
  });
  return [
    ...(role === 'tool' ? [] : [{ role, blocks }]),
    ...results.map(({ toolCallId, output }) => ({
      ...said('tool', plain(output.value ?? '')),
      call_id: toolCallId,
      ...(output.type.startsWith('error') ? { is_error: true } : {}),
    })),
  ];
}

class Agent {
  constructor(world) {
    this.world = world;
    this.model = new Scripted(world);
    this.messages = []; // UI messages, as an application saves them
    this.tools = Object.fromEntries(world.tools.map((tool) => [tool.name, made(tool)]));
    this.steps = 100;
  }

  async prompt(text) {
    const parts = [{ type: 'text', text }];
    const asked = [...this.messages, { id: crypto.randomUUID(), role: 'user', parts }];
    this.messages = asked; // saved before it is answered
    this.controller = new AbortController();
    const result = streamText({
      model: this.model,
      system: this.system,
      messages: await convertToModelMessages(asked),
      tools: this.tools,
      stopWhen: stepCountIs(this.steps),
      abortSignal: this.controller.signal,
      onError: () => {}, // it would print; the UI stream tells the user
    });
    const chunks = result.toUIMessageStream({
      originalMessages: asked,
      generateMessageId: () => crypto.randomUUID(),
      onFinish: ({ messages }) => {
        this.messages = messages;
      },
    });
    let outcome; // the first word counts: behind an `error` comes a `finish` all the same
    for await (const chunk of chunks) outcome ??= this.see(chunk);
    return outcome;
  }

  /** What a chunk shows the user, and the outcome that it names, if it does. */
  see(chunk) {
    switch (chunk.type) {
      case 'text-delta':
        this.world.shown(chunk.delta);
        break;
      case 'reasoning-delta':
        this.world.shown(chunk.delta, { reasoning: true });
        break;
      case 'abort':
        return 'cancelled';
      case 'error':
        return 'failed';
      case 'finish':
        return OUTCOMES[chunk.finishReason];
    }
    return undefined;
  }

  cancel() {
    this.controller?.abort();
  }
  configure({ system, turn_limit: limit, ...rest }) {
    this.system = system;
    this.steps = limit ?? this.steps;
    return Object.keys(rest);
  }
}

function made(tool) {
  if (tool.endsTurn) throw new NotApplicable('no result of a tool ends a turn of the AI SDK');
  return dynamicTool({
    description: tool.name,
    inputSchema: jsonSchema({ type: 'object', ...tool.schema }),
    execute: (input, { toolCallId, abortSignal }) =>
      tool.call(input, { callId: toolCallId, signal: abortSignal }),
  });
}

const { version } = (await import('ai/package.json', { with: { type: 'json' } })).default;
await serve({
  name: 'ai-sdk',
  version,
  make: (world) => new Agent(world),
  cancelWays: ['api'],
  can: ['configure'],
  contract: {}, // its documentation says nothing of what a cut message is to become
});
