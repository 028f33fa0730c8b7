/** Streams with an end: every answer that streams is passed through, watched and ended in time. */

export type StreamEnd = 'complete' | 'client_left' | 'time_up' | 'failed';

export interface StreamOptions {
  readonly limitMs: number;
  /** Written as the last bytes of a stream whose time is up. */
  readonly lastWords: string;
  /** The last chunk that the lane wrote. */
  readonly onEnd: (end: StreamEnd, lastChunk: Uint8Array | undefined) => void;
}

/**
 * The same bytes, as they come. When the time is up, the client gets the last words and the end, and the lane's stream
 * is cancelled; it is cancelled as well when the client leaves.
 */
export function boundedStream(source: ReadableStream<Uint8Array>, options: StreamOptions): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  let lastChunk: Uint8Array | undefined;
  let open = true;
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const timer = setTimeout(() => {
    if (!end('time_up')) return;
    controller.enqueue(new TextEncoder().encode(options.lastWords));
    controller.close();
    drop('The time for this stream is up');
  }, options.limitMs);

  const end = (how: StreamEnd): boolean => {
    if (!open) return false;
    open = false;
    clearTimeout(timer);
    options.onEnd(how, lastChunk);
    return true;
  };
  const drop = (reason: unknown): void => {
    // A lane that cannot be cancelled any more has ended already.
    reader.cancel(reason).catch(() => undefined);
  };

  return new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given;
      },
      async pull() {
        try {
          const { done, value } = await reader.read();
          if (!open) return;
          if (done) {
            end('complete');
            controller.close();
            return;
          }
          lastChunk = value;
          controller.enqueue(value);
        } catch (cause) {
          if (end('failed')) controller.error(cause);
        }
      },
      cancel(reason) {
        if (end('client_left')) drop(reason);
      },
    },
    // Nothing is read ahead, so that a slow client slows the lane down and not the memory up.
    { highWaterMark: 0 },
  );
}

/** What came first: the value, or `undefined` after the time. A value that comes too late goes to `late`. */
export async function within<T>(work: Promise<T>, limitMs: number, late: (value: T) => void): Promise<T | undefined> {
  const time = Promise.withResolvers<undefined>();
  let over = false;
  const timer = setTimeout(() => {
    over = true;
    time.resolve(undefined);
  }, limitMs);
  work.then(
    (value) => {
      if (over) late(value);
    },
    () => undefined,
  );
  try {
    return await Promise.race([work, time.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** One message as an event of a stream, for the door's own words in it. */
export const sseEvent = (message: unknown): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`;
