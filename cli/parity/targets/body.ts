/** The body of a response as text, never more of it than is wanted. */
import type { IncomingMessage } from 'node:http';
import { MAX_ANSWER_BYTES, WireFault } from './wire.ts';

/** @param most What is beyond is left away; without it too much is a fault. */
export async function textOf(response: IncomingMessage, most?: number): Promise<string> {
  let text = '';
  for await (const chunk of chunks(response)) {
    text += chunk;
    if (most !== undefined && text.length >= most) {
      response.destroy();
      return text.slice(0, most);
    }
  }
  return text;
}

/**
 * Who stops reading leaves the rest to be read in the background for a moment, so that the connection can be used again.
 * @throws WireFault when more comes than any answer needs.
 */
export async function* chunks(response: IncomingMessage): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let bytes = 0;
  const body = response.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw new WireFault('flood', `the answer is larger than ${MAX_ANSWER_BYTES} bytes`);
    yield decoder.decode(chunk, { stream: true });
  }
}
