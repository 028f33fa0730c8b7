/** A call that takes long shows that it lives, learns when its client has gone, and is told of by its own verdict. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, it, vi } from 'vitest';
import { z } from 'zod';
import { createEnvironment } from '../../src/hybrid/environment.ts';
import { DEFAULT_BINDINGS } from '../../src/hybrid/bindings.ts';
import { createCatalogue } from '../../src/shared/catalogue/catalogue.ts';
import { ConfigurationProblems } from '../../src/shared/configuration.ts';
import { defineTool } from '../../src/shared/define/tool.ts';
import { reply } from '../../src/shared/define/reply.ts';
import { systemWorld as world } from '../../src/shared/world.ts';
import { createStatelessHalf } from '../../src/stateless/half.ts';
import { MessageReader } from '../support/events.ts';
import { routerWith } from '../support/router.ts';
import { openLane, type Lane } from '../support/wire.ts';

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const ANSWER_DEADLINE_MS = 400;

/** A Worker whose tools wait for the test. */
function slowWorker(vars: object = {}) {
  const finish = Promise.withResolvers<void>();
  const started = Promise.withResolvers<AbortSignal>();
  const input = z.object({});
  const common = { title: 'Slow', description: 'Takes long.', input, annotations };
  const slow = (name: string, deadlineMs: number) =>
    defineTool({
      ...common,
      name,
      deadlineMs,
      run: async (_input, ctx) => {
        started.resolve(ctx.signal);
        ctx.progress({ progress: 1, message: 'begun' });
        await finish.promise;
        return reply.text('done');
      },
    });
  const catalogue = createCatalogue({
    info: { name: 'slow', title: 'Slow', version: '1' },
    instructions: 'Wait.',
    limits: { deadlineMs: 300, maxResultBytes: 1_000_000 },
    tools: [
      slow('long', 60_000),
      slow('short', 300),
      defineTool({
        ...common,
        name: 'asks',
        run: async (_input, ctx) => {
          const answer = await ctx.ask('sure', { message: 'Sure?', schema: z.object({ yes: z.boolean() }) });
          return reply.text(JSON.stringify(answer));
        },
      }),
      defineTool({ ...common, name: 'refuses', run: () => reply.error('No.') }),
      defineTool({ ...common, name: 'throws', run: () => Promise.reject(new Error('x')) }),
      defineTool({ ...common, name: 'works', run: () => reply.text('The tool "works" failed.') }),
    ],
  });
  const report = (): void => undefined;
  const stateless = createStatelessHalf({ catalogue, world, report, keepAliveMs: 20 });
  const fetch = routerWith({ catalogue, report, stateless });
  const all = { ...env, ANSWER_DEADLINE_MS, ...vars };
  const open = (name: 'modern' | 'compat', capabilities = {}): Promise<Lane> =>
    openLane(name, {
      origin: 'http://localhost',
      capabilities,
      send: (request) => fetch(request, all, createExecutionContext()),
    });
  return { catalogue, open, started: started.promise, finish: finish.resolve };
}

const call = (name: string) => ({ name, arguments: {} });
const PROGRESS = { progressToken: 'p' };

describe('a slow call', () => {
  it.for([
    ['short', PROGRESS],
    ['long', PROGRESS],
    // May take longer than an answer may take to begin.
    ['long', {}],
  ] as const)('of the tool %s with %j begins as a stream on modern', async ([name, meta], { expect }) => {
    const { open, finish } = slowWorker();
    const response = await (await open('modern')).open('tools/call', call(name), meta);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let seen = '';
    while (!seen.includes(': keepalive')) seen += (await reader.read()).value ?? '';
    expect(seen.includes('"method":"notifications/progress"')).toBe('progressToken' in meta);
    finish();
    for (let next = await reader.read(); !next.done; next = await reader.read()) seen += next.value;
    expect(seen).toContain('"text":"done"');
  });

  it('that is quick and asks for no progress is answered in JSON on modern', async ({ expect }) => {
    const { open } = slowWorker();
    const response = await (await open('modern')).open('tools/call', call('works'));
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.text()).toContain('The tool');
  });

  it.for(['modern', 'compat'] as const)(
    'that may take long learns on %s that its client has gone',
    async (name, { expect }) => {
      const { open, started } = slowWorker();
      const response = await (await open(name)).open('tools/call', call('long'));
      const signal = await started;
      expect(signal.aborted).toBe(false);
      const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      await response.body?.cancel();
      await aborted;
      expect(signal.aborted).toBe(true);
    },
  );

  it('that ends by its own deadline is told so by its tool, in time', async ({ expect }) => {
    const { open } = slowWorker();
    const response = await (await open('modern')).open('tools/call', call('short'), PROGRESS);
    const reader = new MessageReader(response);
    let last = await reader.next();
    for (let next = last; next !== undefined; next = await reader.next()) last = next;
    expect(JSON.stringify(last?.result)).toContain('did not finish within 300 ms');
  });

  it('may not be one that its stream would cut off', ({ expect }) => {
    const { catalogue } = slowWorker();
    const reports: unknown[] = [];
    const environmentOf = createEnvironment({
      names: DEFAULT_BINDINGS,
      defaults: undefined,
      required: new Set(),
      catalogue,
      report: ({ cause }) => void reports.push(cause instanceof ConfigurationProblems ? cause.problems : cause),
    });
    expect(environmentOf({ ...env, CALL_STREAM_MS: '59999' }).config).toBeUndefined();
    expect(environmentOf({ ...env, CALL_STREAM_MS: '60000' }).config).toBeDefined();
    expect(reports).toEqual([
      [
        'The tool "long" may run for 60000 ms, and the stream that answers it ends after 59999 ms: raise CALL_STREAM_MS, or lower the tool\'s deadlineMs.',
      ],
    ]);
  });
});

describe('the verdict in the log', () => {
  afterEach(() => void vi.restoreAllMocks());

  it.for([
    // Its text is that of a fault, and it is none.
    ['modern', 'works', {}, 'ok'],
    ['compat', 'works', {}, 'ok'],
    ['modern', 'refuses', {}, 'tool_error'],
    ['compat', 'refuses', {}, 'tool_error'],
    ['modern', 'throws', {}, 'tool_failed'],
    ['compat', 'throws', {}, 'tool_failed'],
    ['compat', 'short', {}, 'deadline_exceeded'],
    ['modern', 'short', PROGRESS, 'deadline_exceeded'],
    ['modern', 'nope', {}, 'unknown_tool'],
    ['modern', 'asks', {}, 'input_required'],
    ['compat', 'asks', {}, 'lane_cannot_ask'],
  ] as const)(
    'is the pipeline’s own word: on %s, %s with %j is %s',
    async ([name, tool, meta, verdict], { expect }) => {
      const lines = vi.spyOn(console, 'log').mockImplementation(() => undefined);
      const { open } = slowWorker({ LOG_LEVEL: 'info', ANSWER_DEADLINE_MS: 5_000 });
      const lane = await open(name, { elicitation: {} });
      lines.mockClear();
      await lane.request('tools/call', call(tool), meta);
      const written = lines.mock.calls.map(([line]) => JSON.parse(String(line)) as { verdict: string });
      expect(written.map(({ verdict: said }) => said)).toEqual([verdict]);
    },
  );
});
