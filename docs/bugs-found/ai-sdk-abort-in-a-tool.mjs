// ai-sdk: an abort while a tool runs leaves a conversation that can never go on.
//
// The messages are kept as the documentation of message persistence says: those that `onFinish`
// gives. The call in them has no result, and the next `streamText` refuses them.
// Run it in a folder where `npm install ai` was done.
import assert from 'node:assert';
import { convertToModelMessages, dynamicTool, jsonSchema, stepCountIs, streamText } from 'ai';
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test';

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const stop = { unified: 'tool-calls', raw: 'tool_calls' };
const model = new MockLanguageModelV3({
  doStream: async () => ({
    stream: simulateReadableStream({
      chunks: [
        { type: 'text-start', id: 't' },
        { type: 'text-delta', id: 't', delta: 'Let me look. ' },
        { type: 'text-end', id: 't' },
        { type: 'tool-call', toolCallId: 'c1', toolName: 'search', input: '{}' },
        { type: 'finish', finishReason: stop, usage },
      ],
    }),
  }),
});

const controller = new AbortController();
const search = dynamicTool({
  inputSchema: jsonSchema({ type: 'object' }),
  execute: (_, { abortSignal }) =>
    new Promise((_resolve, reject) => {
      abortSignal.addEventListener('abort', () => reject(abortSignal.reason)); // a polite tool
      setTimeout(() => controller.abort(), 20); // the user presses stop
    }),
});

let saved = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Search' }] }];
async function run(abortSignal) {
  const result = streamText({
    model,
    messages: await convertToModelMessages(saved),
    tools: { search },
    stopWhen: stepCountIs(5),
    abortSignal,
    onError: () => {},
  });
  const chunks = result.toUIMessageStream({
    originalMessages: saved,
    generateMessageId: () => 'm2',
    onFinish: ({ messages }) => (saved = messages),
    onError: (error) => `${error.name}: ${error.message}`,
  });
  const seen = [];
  for await (const chunk of chunks) seen.push(chunk);
  return seen;
}

const first = await run(controller.signal);
assert(first.some((chunk) => chunk.type === 'abort'), 'the run was aborted');
assert.equal(model.doStreamCalls.length, 1);
saved = [...saved, { id: 'm3', role: 'user', parts: [{ type: 'text', text: 'Go on' }] }];
let failure;
try {
  failure = (await run()).find((chunk) => chunk.type === 'error')?.errorText;
} catch (error) {
  failure = `${error.name}: ${error.message}`;
}
assert.equal(model.doStreamCalls.length, 1, 'the next prompt makes a request');
assert.match(failure, /AI_MissingToolResultsError/);
console.log(`the next prompt makes no request: ${failure}`);
