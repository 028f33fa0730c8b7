/** The answer in the event stream that a POST opened, with what else comes on it. */
import type { IncomingMessage } from 'node:http';
import { createParser, type EventSourceParser } from 'eventsource-parser';
import { isPlainObject } from '../../../src/shared/json.ts';
import { chunks } from './body.ts';
import { replyTo } from './pending.ts';
import {
  excerpt,
  MAX_ANSWER_BYTES,
  MAX_OTHER_MESSAGES,
  readJson,
  WireFault,
  type Notify,
  type Request,
} from './wire.ts';

/** How long a stream may stay open after its answer; most end with it, and a reused connection is worth a moment. */
const LINGER_MS = 250;

interface Events {
  readonly request: Request;
  readonly reply: (message: object) => void;
  readonly notify: Notify;
  readonly isAnswer: (message: unknown) => boolean;
  /** Told of what is still read after the answer. */
  readonly lingers: (rest: Promise<void>) => void;
}

export async function inEvents(
  response: IncomingMessage,
  { request, reply, notify, isAnswer, lingers }: Events,
): Promise<unknown> {
  let found: unknown;
  let others = 0;
  let stray = '';
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data === '') return;
      const [message] = parsed(data);
      if (message === undefined) {
        stray = excerpt(data);
        notify({ notice: 'stray_output', text: stray });
      } else if (isAnswer(message)) {
        if (found !== undefined) notify({ notice: 'answered_twice', request });
        found ??= message;
      } else if (isPlainObject(message) && typeof message['method'] === 'string' && 'id' in message)
        reply(replyTo(message['id'], message['method']));
      others += 1;
      if (others > MAX_OTHER_MESSAGES)
        throw new WireFault(
          'flood',
          `more than ${MAX_OTHER_MESSAGES} messages came on the stream of ${request.method}`,
        );
    },
  });
  for await (const chunk of chunks(response)) {
    parser.feed(chunk);
    if (found === undefined) continue;
    lingers(linger(response, parser));
    return found;
  }
  if (stray !== '') throw new WireFault('garbage', `an event is no JSON: ${stray}`);
  throw new WireFault('died', `the stream ended before the answer to ${request.method}`);
}

/** Reads on, so that the connection can be used again and a second answer is seen, but neither for long nor much. */
function linger(response: IncomingMessage, parser: EventSourceParser): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => response.destroy(), LINGER_MS);
    let bytes = 0;
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    if (response.complete || response.destroyed) response.once('end', end);
    response
      .once('close', end)
      .once('end', end)
      .once('error', () => undefined)
      .on('data', (chunk: Buffer) => {
        bytes += chunk.byteLength;
        try {
          if (bytes > MAX_ANSWER_BYTES) response.destroy();
          else parser.feed(chunk.toString('utf8'));
        } catch {
          response.destroy();
        }
      })
      .resume();
    if (response.closed || response.readableEnded) end();
  });
}

/** The messages of a text, none when it holds none. */
export function parsed(text: string): readonly unknown[] {
  const json = readJson(text);
  if (json === undefined) return [];
  return Array.isArray(json) ? (json as readonly unknown[]) : [json];
}
