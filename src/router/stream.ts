/** Streams with an end: every answer that streams is passed through, watched and ended in time. */

export type StreamEnd = 'complete' | 'client_left' | 'time_up' | 'failed';

type Chunks = ReadableStreamDefaultReader<Uint8Array>;

/** What a stream said at once. */
export interface Opening {
  readonly chunks: readonly Uint8Array[];
  /** Undefined where that was all. */
  readonly rest: Rest | undefined;
}

export interface Rest {
  readonly reader: Chunks;
  /** A chunk that was asked for and has not come. */
  readonly next?: ReturnType<Chunks['read']>;
}

/** What there is to read without waiting long. */
const MAX_OPENING_BYTES = 64 * 1024;

/**
 * Reads what comes soon. Never rejects: a stream that fails fails for whoever reads the rest.
 * @param late Resolves when it is time to go on.
 */
export async function openingOf(source: ReadableStream<Uint8Array>, late: Promise<undefined>): Promise<Opening> {
  const reader: Chunks = source.getReader();
  const chunks: Uint8Array[] = [];
  for (let bytes = 0; bytes < MAX_OPENING_BYTES;) {
    const next = reader.read();
    const came = await Promise.race([next, late]).catch(() => undefined);
    if (came === undefined) return { chunks, rest: { reader, next } };
    if (came.done) return { chunks, rest: undefined };
    chunks.push(came.value);
    bytes += came.value.byteLength;
  }
  return { chunks, rest: { reader } };
}

/** Most streams say one thing, which needs no copy. */
export function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [only] = chunks;
  if (only !== undefined && chunks.length === 1) return only;
  const whole = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.byteLength, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}

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
 * @param opening What was read before, which comes first.
 */
export function boundedStream(
  { reader, next }: Rest,
  options: StreamOptions,
  opening: readonly Uint8Array[] = [],
): ReadableStream<Uint8Array> {
  const early = opening.values();
  let asked = next;
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
  const read = async (): Promise<Uint8Array | undefined> => {
    const first = early.next();
    if (first.done !== true) return first.value;
    const { value } = await (asked ?? reader.read());
    asked = undefined;
    return value;
  };

  return new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given;
      },
      async pull() {
        try {
          const chunk = await read();
          if (!open) return;
          if (chunk === undefined) {
            end('complete');
            controller.close();
            return;
          }
          lastChunk = chunk;
          controller.enqueue(chunk);
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

/** Most answers are whole sooner, and a whole body costs less than a stream. */
const SOON_MS = 50;

/** The time of a request. */
export interface Clock {
  /** When an answer that streams is no longer waited for to be whole. */
  readonly soon: Promise<undefined>;
  /** When the request must be answered. */
  readonly late: Promise<undefined>;
  stop(): void;
}

/** Two times on one timer, since a timer costs as much as several of the checks, and most requests need the first only. */
export function startClock(lateMs: number): Clock {
  const soon = Promise.withResolvers<undefined>();
  const late = Promise.withResolvers<undefined>();
  const soonMs = Math.min(SOON_MS, lateMs);
  let timer = setTimeout(() => {
    soon.resolve(undefined);
    timer = setTimeout(() => late.resolve(undefined), lateMs - soonMs);
  }, soonMs);
  return { soon: soon.promise, late: late.promise, stop: () => clearTimeout(timer) };
}

/** What came first: the value, or `undefined` when it is late. A value that comes later goes to `onLate`. */
export async function within<T>(
  work: Promise<T>,
  late: Promise<undefined>,
  onLate: (value: T) => void,
): Promise<T | undefined> {
  let isLate = false;
  const time = late.then(() => {
    isLate = true;
    return undefined;
  });
  work.then(
    (value) => {
      if (isLate) onLate(value);
    },
    () => undefined,
  );
  return Promise.race([work, time]);
}

/** One message as an event of a stream, for the door's own words in it. */
export const sseEvent = (message: unknown): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`;
