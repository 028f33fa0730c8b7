/**
 * `npm run prove:store [-- <commit>]`: one store, served by the Worker of a commit (the one before, if none is named), then by
 * this checkout, then by that commit again. Sessions, drained sessions, handles, the brake, the audit log and the census go on
 * each time, as docs/versioning.md promises for an upgrade and for going back.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { openLane, type Lane } from 'hybrid-mcp/contract';
import { scratchInside, sourcesOf } from './lib/checkout.ts';
import { startDevServer, type DevServer } from './lib/dev-server.ts';

const TOKEN = 'prove-store-0123456789-0123456789';
const START_TIMEOUT_MS = 60_000;
const who = { who: 'prove-store', why: 'one store, two versions' };

interface Counted {
  readonly lane: string | undefined;
  readonly value: number | undefined;
  readonly handle: string | undefined;
}

async function count(lane: Lane, handle?: string): Promise<Counted> {
  const args = handle === undefined ? {} : { handle };
  const { answer, headers } = await lane.request('tools/call', { name: 'incrementCounter', arguments: args });
  const counted = answer?.result?.['structuredContent'] as { value: number; handle: string } | undefined;
  const [, served] = /lane;desc="(\w+)"/.exec(headers.get('server-timing') ?? '') ?? [];
  return { lane: served, value: counted?.value, handle: counted?.handle };
}

async function admin(url: string, name: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/admin/${name}`, {
    headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify({ ...body, ...who }) }),
  });
  if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}

const entriesOf = async (url: string): Promise<number> =>
  ((await admin(url, 'audit'))['entries'] as readonly unknown[]).length;

async function callsOf(url: string): Promise<number> {
  const { clients } = (await admin(url, 'census')) as {
    clients: readonly { readonly lanes: readonly { readonly calls: number }[] }[];
  };
  return clients.flatMap(({ lanes }) => lanes).reduce((sum, { calls }) => sum + calls, 0);
}

const commit = process.argv[2] ?? 'HEAD~1';
const store = await mkdtemp(path.join(tmpdir(), 'hybrid-mcp-store-'));
await using scratch = await scratchInside('store');
try {
  const before = await sourcesOf(commit, scratch.path);
  let port = 0;
  const serve = (root?: string): Promise<DevServer> =>
    startDevServer({
      persistTo: store,
      port,
      vars: { ADMIN_TOKEN: TOKEN, LOG_LEVEL: 'error' },
      startTimeoutMs: START_TIMEOUT_MS,
      config: root === undefined ? 'test/desk/wrangler.toml' : path.join(root, 'wrangler.toml'),
    });

  const first = await serve(before);
  const { url } = first;
  port = Number(new URL(url).port);
  const open = (name: 'legacy' | 'compat' | 'modern'): Promise<Lane> => openLane(name, { origin: url, send: fetch });
  const [live, drained, moved, compat, modern] = [
    await open('legacy'),
    await open('legacy'),
    await open('legacy'),
    await open('compat'),
    await open('modern'),
  ];
  for (const lane of [live, drained, moved, compat]) assert.equal((await count(lane)).value, 1);
  const { handle } = await count(modern);
  assert.ok(handle);
  for (const { sessionId } of [drained, moved]) await admin(url, 'drain', { session: sessionId });
  assert.deepEqual([(await count(moved)).lane, (await count(live)).value], ['compat', 2]);
  await admin(url, 'brake', { on: true });

  /** Every count goes on by one, on the lane that has it. */
  async function goesOn(version: string, values: readonly number[]): Promise<void> {
    const counted = [await count(live), await count(drained), await count(moved), await count(compat)];
    counted.push(await count(modern, handle));
    assert.deepEqual(
      counted.map(({ lane, value }) => `${lane} ${value}`),
      ['legacy', 'compat', 'compat', 'compat', 'modern'].map((lane, at) => `${lane} ${values[at]}`),
      version,
    );
    assert.equal(counted.at(-1)?.handle, handle);
    const { brake } = (await admin(url, 'status')) as { brake: { readonly on: boolean } | null };
    assert.equal(brake?.on, true, `${version}: the brake`);
  }

  const [entries, calls] = [await entriesOf(url), await callsOf(url)];
  assert.ok(entries > 0 && calls >= 10, `${entries} entries, ${calls} calls`);
  await first.stop();
  for (const [round, version] of ['this checkout', commit].entries()) {
    await using _server = await serve(round === 0 ? undefined : before);
    await goesOn(version, [3 + round, 2 + round, 3 + round, 2 + round, 2 + round]);
    assert.equal(await entriesOf(url), entries, `${version}: the audit log`);
    assert.equal(await callsOf(url), calls + 5 * (round + 1), `${version}: the census`);
  }
  console.log(JSON.stringify({ proof: 'store', commit, sessions: 4, handles: 1, entries, calls: calls + 10 }));
} finally {
  await rm(store, { recursive: true, force: true, maxRetries: 3 });
}
