// ai-sdk: `abortSignal` ends nothing by itself: a model that does not react holds the run for ever.
//
// And a model that reacts by an error of its own, as a connection that breaks in that moment does,
// makes the aborted run a failed one: its stream throws, and no `abort` is told.
// Run it in a folder where `npm install ai` was done.
import assert from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import { streamText } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';

const PATIENCE_MS = 1000;

/** Says one word; what it does when it is aborted is up to `react`. */
function speaking(react) {
  const start = (stream, signal) => {
    stream.enqueue({ type: 'text-start', id: 't' });
    stream.enqueue({ type: 'text-delta', id: 't', delta: 'Half ' });
    signal.addEventListener('abort', () => react(stream));
  };
  return new MockLanguageModelV3({
    doStream: async ({ abortSignal }) => ({
      stream: new ReadableStream({ start: (stream) => start(stream, abortSignal) }),
    }),
  });
}

/** The chunks that a user sees, and whether the run has ended when `PATIENCE_MS` are over. */
async function aborted(react) {
  const controller = new AbortController();
  const { signal } = controller;
  const result = streamText({
    model: speaking(react), prompt: 'Hi', abortSignal: signal, onError: () => {},
  });
  const seen = [];
  const read = async () => {
    try {
      for await (const chunk of result.toUIMessageStream()) seen.push(chunk.type);
    } catch (error) {
      seen.push(String(error));
    }
    return true;
  };
  setTimeout(() => controller.abort(), 20);
  const ended = await Promise.race([read(), sleep(PATIENCE_MS, false)]);
  return { seen, ended };
}

const deaf = await aborted(() => {});
assert(!deaf.ended, 'the abort ends the run');
console.log(`${PATIENCE_MS} ms after the abort the run goes on; seen: ${deaf.seen}`);

const polite = await aborted((stream) => stream.error(new DOMException('stop', 'AbortError')));
assert(polite.ended && polite.seen.at(-1) === 'abort');

const broken = await aborted((stream) => stream.error(new TypeError('terminated')));
assert(broken.ended && broken.seen.at(-1) === 'TypeError: terminated');
console.log(`a connection that breaks behind the abort: ${broken.seen}`);
process.exit(0); // the run that goes on would keep the process
