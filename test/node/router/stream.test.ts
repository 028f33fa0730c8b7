/** Streams end in time, and a lane's stream ends with its client. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, it } from 'vitest';
import { boundedStream, joined, openingOf, startClock, within, type StreamEnd } from '../../../src/router/stream.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

interface Source {
  readonly stream: ReadableStream<Uint8Array>;
  readonly write: (text: string) => void;
  readonly close: () => void;
  readonly fail: (cause: unknown) => void;
  cancelled: unknown;
}

function source(): Source {
  let control: ReadableStreamDefaultController<Uint8Array>;
  const made: Source = {
    stream: new ReadableStream<Uint8Array>({
      start: (controller) => {
        control = controller;
      },
      cancel: (reason) => {
        made.cancelled = reason;
      },
    }),
    write: (text) => control.enqueue(bytes(text)),
    close: () => control.close(),
    fail: (cause) => control.error(cause),
    cancelled: undefined,
  };
  return made;
}

function bounded(from: Source, limitMs: number, lastWords = '') {
  const ends: [StreamEnd, string][] = [];
  const stream = boundedStream(
    { reader: from.stream.getReader() },
    {
      limitMs,
      lastWords,
      onEnd: (end, last) => ends.push([end, new TextDecoder().decode(last)]),
    },
  );
  return { stream, ends };
}

describe('a stream', () => {
  it('passes through as it is, and tells how it ended', async ({ expect }) => {
    const from = source();
    const { stream, ends } = bounded(from, 60_000);
    from.write('one');
    from.write('two');
    from.close();
    expect(await new Response(stream).text()).toBe('onetwo');
    expect(ends).toEqual([['complete', 'two']]);
  });

  it('that never ends is ended with the last words, and the lane is told', async ({ expect }) => {
    const from = source();
    const { stream, ends } = bounded(from, 20, 'enough');
    from.write('one');
    expect(await new Response(stream).text()).toBe('oneenough');
    expect(ends).toEqual([['time_up', 'one']]);
    expect(from.cancelled).toBe('The time for this stream is up');
  });

  it('ends the lane’s stream when the client leaves, and once only', async ({ expect }) => {
    const from = source();
    const { stream, ends } = bounded(from, 20);
    await stream.cancel('gone');
    expect(from.cancelled).toBe('gone');
    await delay(40);
    expect(ends).toEqual([['client_left', '']]);
  });

  it('that fails fails for the client too', async ({ expect }) => {
    const from = source();
    const { stream, ends } = bounded(from, 60_000);
    from.fail(new Error('broken'));
    await expect(new Response(stream).text()).rejects.toThrow('broken');
    expect(ends).toEqual([['failed', '']]);
  });

  it('is not read ahead of its client', async ({ expect }) => {
    let pulls = 0;
    const endless = new ReadableStream<Uint8Array>(
      { pull: (controller) => controller.enqueue(bytes(String((pulls += 1)))) },
      { highWaterMark: 0 },
    );
    const stream = boundedStream(
      { reader: endless.getReader() },
      { limitMs: 60_000, lastWords: '', onEnd: () => undefined },
    );
    await delay(5);
    expect(pulls).toBe(0);
    await stream.cancel();
  });
});

describe('the opening of a stream', () => {
  const text = (chunks: readonly Uint8Array[]): string => new TextDecoder().decode(joined(chunks));
  const limits = { limitMs: 60_000, lastWords: '' };
  const never = new Promise<undefined>(() => undefined);

  it('is all of it where it ends at once', async ({ expect }) => {
    const from = source();
    from.write('one');
    from.write('two');
    from.close();
    const { chunks, rest } = await openingOf(from.stream, never);
    expect([text(chunks), rest]).toEqual(['onetwo', undefined]);
  });

  it('does not wait for more, and what comes later follows it', async ({ expect }) => {
    const from = source();
    const ends: [StreamEnd, string][] = [];
    from.write('one');
    const { chunks, rest } = await openingOf(from.stream, delay(5, undefined));
    if (rest === undefined) throw new Error('The stream had not ended');
    const onEnd = (end: StreamEnd, last?: Uint8Array): unknown => ends.push([end, new TextDecoder().decode(last)]);
    const whole = new Response(boundedStream(rest, { ...limits, onEnd }, chunks)).text();
    from.write('two');
    from.close();
    expect(await whole).toBe('onetwo');
    expect(ends).toEqual([['complete', 'two']]);
  });

  it('ends where a stream says too much to be kept', async ({ expect }) => {
    const endless = new ReadableStream<Uint8Array>(
      { pull: (controller) => controller.enqueue(new Uint8Array(1024)) },
      { highWaterMark: 0 },
    );
    const { chunks, rest } = await openingOf(endless, never);
    expect([chunks.length, rest?.next]).toEqual([64, undefined]);
    await rest?.reader.cancel();
  });

  it('leaves a failure to whoever reads the rest', async ({ expect }) => {
    const from = source();
    const ends: StreamEnd[] = [];
    from.fail(new Error('broken'));
    const { chunks, rest } = await openingOf(from.stream, never);
    if (rest === undefined) throw new Error('The stream had not ended');
    const stream = boundedStream(rest, { ...limits, onEnd: (end) => ends.push(end) }, chunks);
    await expect(new Response(stream).text()).rejects.toThrow('broken');
    expect(ends).toEqual(['failed']);
  });
});

describe('a clock', () => {
  it('tells when it is no longer soon, and then when it is late', async ({ expect }) => {
    const told: string[] = [];
    const clock = startClock(80);
    await Promise.all([
      clock.soon.then(() => told.push('soon is over')),
      delay(65).then(() => told.push('between')),
      clock.late.then(() => told.push('late')),
    ]);
    expect(told).toEqual(['soon is over', 'between', 'late']);
  });

  it('tells nothing once it was stopped', async ({ expect }) => {
    const told: string[] = [];
    const [first, second] = [startClock(10), startClock(70)];
    void first.late.then(() => told.push('first'));
    void second.late.then(() => told.push('second'));
    first.stop();
    await second.soon;
    second.stop();
    await delay(40);
    expect(told).toEqual([]);
  });
});

describe('a deadline', () => {
  it('gives what came in time', async ({ expect }) => {
    const clock = startClock(1_000);
    expect(await within(Promise.resolve(1), clock.late, () => undefined)).toBe(1);
    await expect(within(Promise.reject(new Error('no')), clock.late, () => undefined)).rejects.toThrow('no');
    clock.stop();
  });

  it('gives nothing after the time, and hands over what comes later', async ({ expect }) => {
    const came: number[] = [];
    expect(await within(delay(30, 1), startClock(5).late, (value) => came.push(value))).toBeUndefined();
    await delay(50);
    expect(came).toEqual([1]);
  });
});
