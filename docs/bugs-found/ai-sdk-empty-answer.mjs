// ai-sdk: an abort behind a line break leaves an assistant message of blanks in the next request.
//
// The messages are kept as the documentation of message persistence says: those that `onFinish`
// gives. Providers refuse an assistant message without any content but blanks.
// Run it in a folder where `npm install ai` was done.
import assert from 'node:assert';
import { convertToModelMessages, streamText } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';

const controller = new AbortController();
const slow = (signal) =>
  new ReadableStream({
    start(stream) {
      stream.enqueue({ type: 'text-start', id: 't' });
      stream.enqueue({ type: 'text-delta', id: 't', delta: '\n' }); // as models begin, often
      signal?.addEventListener('abort', () => stream.error(signal.reason)); // as fetch does
      setTimeout(() => controller.abort(), 20); // the user presses stop
    },
  });
const model = new MockLanguageModelV3({
  doStream: async ({ abortSignal }) => ({ stream: slow(abortSignal) }),
});

let saved = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }];
async function run(abortSignal) {
  const result = streamText({
    model,
    messages: await convertToModelMessages(saved),
    abortSignal,
    onError: () => {},
  });
  const chunks = result.toUIMessageStream({
    originalMessages: saved,
    generateMessageId: () => 'm2',
    onFinish: ({ messages }) => (saved = messages),
  });
  for await (const _ of chunks);
}

await run(controller.signal);
saved = [...saved, { id: 'm3', role: 'user', parts: [{ type: 'text', text: 'Go on' }] }];
const again = new AbortController();
setTimeout(() => again.abort(), 50);
await run(again.signal);
const sent = model.doStreamCalls[1].prompt;
const blank = ({ role, content }) =>
  role === 'assistant' && content.every((part) => part.type === 'text' && !part.text.trim());
assert.equal(sent.filter(blank).length, 1, 'no message of blanks is sent');
console.log(`the second request: ${JSON.stringify(sent)}`);
