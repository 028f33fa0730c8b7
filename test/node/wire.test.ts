/** The readers of the test client: what is no message on a stream must not become one. */
import { describe, it } from 'vitest';
import { MessageReader } from '../support/events.ts';
import { messagesIn } from '../support/wire.ts';

const SSE = 'text/event-stream';
const one = { jsonrpc: '2.0', method: 'notifications/progress' };
const two = { jsonrpc: '2.0', id: 1, result: {} };
const stream = [
  ': keepalive',
  `event: message\nid: s:1\ndata: ${JSON.stringify(one)}`,
  ':\n: keepalive',
  'id: s:2\ndata:',
  `event: message\ndata: ${JSON.stringify(two)}`,
  '',
].join('\n\n');

/** The text in pieces of the given size, as a network may cut it. */
const inPieces = (text: string, size: number, type: string): Response =>
  new Response(
    new ReadableStream({
      start(controller) {
        const bytes = new TextEncoder().encode(text);
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.subarray(at, at + size));
        controller.close();
      },
    }),
    { headers: { 'content-type': type } },
  );

async function all(response: Response): Promise<unknown[]> {
  const reader = new MessageReader(response);
  const messages: unknown[] = [];
  for (;;) {
    const message = await reader.next();
    if (message === undefined) return messages;
    messages.push(message);
  }
}

describe('streams', () => {
  it('comments that keep a stream alive are no messages', ({ expect }) => {
    expect(messagesIn(stream, SSE)).toEqual([one, two]);
  });

  it.for([1, 7, 10_000])('nor are they in pieces of %d bytes', async (size, { expect }) => {
    expect(await all(inPieces(stream, size, SSE))).toEqual([one, two]);
  });

  it('an answer in JSON is one message, in however many pieces', async ({ expect }) => {
    expect(await all(inPieces(JSON.stringify(two), 3, 'application/json'))).toEqual([two]);
  });
});
