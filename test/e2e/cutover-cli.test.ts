/**
 * The command on the shipped Worker, with wrangler's real local flag store: what an operator types changes what clients
 * get while the server runs, and sessions that are open do not notice. A stage of one client's own is a part of the
 * rehearsal, and here of `npm run prove:cutover`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { cutover, type Printed } from '../../cli/cutover/command.ts';
import { startDevServer, type DevServer } from '../../scripts/lib/dev-server.ts';
import { openLane, type Lane } from '../support/wire.ts';

const ALL = process.env['CUTOVER'] === 'all';
const TOKEN = 'a-token-of-at-least-thirty-two-characters';
/** A flag is kept for 5 seconds by an isolate, and the brake for 2; a busy machine needs longer. */
const PATIENCE_MS = 20_000;
const POLL_MS = 250;

let store = '';
let server: DevServer;

beforeAll(async () => {
  store = await mkdtemp(path.join(tmpdir(), 'hybrid-mcp-cutover-'));
  server = await startDevServer({ persistTo: store, vars: { ADMIN_TOKEN: TOKEN, LOG_LEVEL: 'error' } });
});
afterAll(async () => {
  await server.stop();
  await rm(store, { recursive: true, force: true });
});

/** What the tests below change, in order. A change that was refused is none. */
const CHANGES = [
  'flag_init',
  'flag_init',
  'flag_init',
  'flag_ramp',
  'brake',
  'release',
  'drain_begins',
  'drain',
  'take_back_begins',
  'take_back',
  ...(ALL ? ['flag_set', 'flag_set', 'flag_unset'] : []),
  'flag_ramp',
];

/** No folder is named: the commands find the one of the Worker that runs. */
const at = (...args: string[]): Promise<Printed> =>
  cutover([...args, '--url', server.url], { env: { ADMIN_TOKEN: TOKEN } });
const why = ['--why', 'an e2e test', '--who', 'jane'];
const forward = [...why, '--early', 'a test has no days'];
const json = async (...args: string[]) => JSON.parse((await at(...args, '--json')).out ?? '{}');

const open = (): Promise<Lane> => openLane('legacy', { origin: server.url, send: (request) => fetch(request) });
async function count(lane: Lane): Promise<{ lane: string | undefined; value: unknown }> {
  const { headers, answer } = await lane.request('tools/call', { name: 'incrementCounter', arguments: {} });
  const structured = answer?.result?.['structuredContent'] as { value?: unknown } | undefined;
  return { lane: /lane;desc="(\w+)"/.exec(headers.get('server-timing') ?? '')?.[1], value: structured?.value };
}

/** Begins sessions until one is served by the lane. */
async function untilNewSessionsAreOn(lane: string): Promise<Lane> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const session = await open();
    const served = (await count(session)).lane;
    if (served === lane) return session;
    if (Date.now() > deadline) throw new Error(`New sessions are still on ${served}, not on ${lane}`);
    await delay(POLL_MS);
  }
}

describe('npm run cutover, with a legacy lane', { timeout: 180_000 }, () => {
  it('makes the flags while the server runs', async ({ expect }) => {
    expect((await at('set', 'legacy', 'stateless', ...why)).error).toContain('npm run flags -- init');
    const reasons = (await json('status')).routes.map(({ reason }: { reason: string }) => reason);
    expect(reasons).toEqual(['flag_missing', 'flag_missing', 'flag_missing']);
    const made = await at('flags', 'init', ...why);
    expect(made).toEqual({ exitCode: 0, out: expect.stringContaining(`the local flag store ${store}`) });
    const { routes, flags } = await json('status');
    expect(routes.map(({ route, stage }: Record<string, unknown>) => [route, stage])).toEqual([
      ['legacy', 'legacy'],
      ['sse', 'legacy'],
      ['mcp', 'stateless'],
    ]);
    expect(Object.keys(flags)).toEqual(['legacy-route', 'legacy-sse-route', 'mcp-route']);
  });

  it('moves new sessions and no open one, drains that one, brakes, and releases', async ({ expect }) => {
    const early = await untilNewSessionsAreOn('legacy');
    expect(await count(early)).toEqual({ lane: 'legacy', value: 2 });

    expect(await at('ramp', 'legacy', 'stateless', '100', ...forward)).toMatchObject({ exitCode: 0 });
    await untilNewSessionsAreOn('compat');
    expect(await count(early)).toEqual({ lane: 'legacy', value: 3 });

    expect(await at('brake', ...why)).toMatchObject({ exitCode: 0 });
    await untilNewSessionsAreOn('legacy');
    expect(await at('release', ...why)).toMatchObject({ exitCode: 0 });
    await untilNewSessionsAreOn('compat');

    expect(await json('drain', '--all', '--dry-run')).toMatchObject({ exitCode: 0, changed: 0 });
    expect(await count(early)).toEqual({ lane: 'legacy', value: 4 });
    const drained = await json('drain', '--client', 'wire', ...why);
    expect(drained).toMatchObject({ exitCode: 0, failed: 0, left: 0 });
    expect(drained.changed).toBeGreaterThan(0);
    expect(await count(early)).toEqual({ lane: 'compat', value: 5 });
    expect(await json('take-back', '--client', 'wire', ...why)).toMatchObject({ exitCode: 0, failed: 0 });
    expect(await count(early)).toEqual({ lane: 'legacy', value: 6 });
  });

  it.for(ALL ? ['wire/1.*'] : [])('gives one client, %s, a stage of its own', async (client, { expect }) => {
    expect(await at('set', 'legacy', 'legacy', ...why)).toMatchObject({ exitCode: 0 });
    await untilNewSessionsAreOn('legacy');
    const { error } = await at('set', 'legacy', 'stateless', '--client', 'nobody', ...why);
    expect(error).toContain('The census has never seen client nobody');
    expect(await at('set', 'legacy', 'stateless', '--client', client, '--era', '2025', ...why)).toMatchObject({
      exitCode: 0,
    });
    await untilNewSessionsAreOn('compat');
    expect(await at('unset', 'legacy', '--client', client, '--era', '2025', ...why)).toMatchObject({
      exitCode: 0,
    });
    await untilNewSessionsAreOn('legacy');
  });

  it('lets one of three operators change a flag, and tells the others', async ({ expect }) => {
    const three = await Promise.all(
      ['5', '10', '15'].map((percent) => at('ramp', 'legacy', 'stateless', percent, ...why)),
    );
    const refused = three.filter(({ exitCode }) => exitCode === 1);
    expect(three.filter(({ exitCode }) => exitCode === 0)).toHaveLength(1);
    expect(refused).toHaveLength(2);
    for (const { error } of refused) expect(error).toContain('Nothing of yours was written.');
    const winner = three.findIndex(({ exitCode }) => exitCode === 0);
    const { flags, isOtherStore } = await json('status');
    expect(flags['legacy-route'].ramp).toEqual({ stage: 'stateless', percent: 5 * (winner + 1), by: 'targetingKey' });
    expect(isOtherStore).toBe(false);
  });

  it('does not take another folder than the one of the Worker', async ({ expect }) => {
    const { exitCode, error } = await at('set', 'legacy', 'shadow', ...why, '--persist-to', tmpdir());
    expect({ exitCode, error }).toEqual({
      exitCode: 2,
      error: expect.stringContaining(`The Worker has its flags in ${store}`),
    });
  });

  it('says once in the log that a flag was never made, and nothing of flags that are there', ({ expect }) => {
    const faults = [...server.output().matchAll(/"fault":"(flag_\w+)"/g)].map(([, fault]) => fault);
    expect(faults).toEqual(['flag_missing', 'flag_missing', 'flag_missing']);
  });

  it('has everything in the log, and refuses to retire what is in use', async ({ expect }) => {
    const { entries } = await json('audit');
    expect(entries.map(({ action }: { action: string }) => action).reverse()).toEqual(CHANGES);
    const by = entries.map(({ who, said, why }: Record<string, string>) => `${who}, ${said}: ${why}`);
    expect(new Set(by)).toEqual(new Set(['admin token, jane: an e2e test']));
    const { ready, checks, exitCode } = await json('retire-check');
    expect({ ready, exitCode }).toEqual({ ready: false, exitCode: 1 });
    const failed = checks.filter(({ ok }: { ok: boolean }) => !ok).map(({ check }: { check: string }) => check);
    expect(failed).toEqual(expect.arrayContaining(['legacy_route', 'sse_route', 'open_sessions', 'last_call']));
  });

  it('shows nothing to whoever has no token', async ({ expect }) => {
    const printed = await cutover(['census', '--url', server.url], { env: { ADMIN_TOKEN: TOKEN.replace('a', 'b') } });
    expect(printed).toMatchObject({ exitCode: 2, error: expect.stringContaining('does not take this ADMIN_TOKEN') });
    const page = await fetch(`${server.url}/admin/census`, {
      headers: { authorization: `Bearer ${TOKEN}`, origin: server.url },
    });
    expect(page.status).toBe(403);
  });
});
