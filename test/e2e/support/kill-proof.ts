/**
 * Load on both routes, the process killed without warning in the middle of it, started again on the same storage: each
 * acknowledged increment must be there exactly once. What was under way when the process died may have happened or not.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startDevServer, type DevServer } from '../../../scripts/lib/dev-server.ts';
import { openLane, type Lane, type LaneName } from '../../support/wire.ts';

export interface KillSummary {
  readonly kills: number;
  readonly acknowledged: number;
  /** How many of them were of a tool that waits between its reading and its update. */
  readonly waited: number;
  /** Increments that were under way at a kill, and how many of them had happened. */
  readonly cutShort: number;
  readonly cutShortButDone: number;
  /** Each counter whose value is not possible. */
  readonly wrong: readonly string[];
}

interface Counter {
  readonly name: string;
  readonly kind: LaneName;
  readonly handle: string;
  acknowledged: number;
  cutShort: number;
  /** Acknowledged by the tool that waits. */
  waited: number;
}

interface Options {
  readonly kills: number;
  /** Increments that must be acknowledged before each kill, so that every kill hits a server at work. */
  readonly load: number;
  readonly counters: number;
}

const KINDS = ['legacy', 'compat', 'modern'] as const;
const CONFIG = 'test/fixture/wrangler.toml';
const openOn = (server: DevServer, kind: LaneName): Promise<Lane> =>
  openLane(kind, { origin: server.url, send: (request) => fetch(request) });

/** `count-slowly` reads, waits and updates, so that it can be killed in the middle. */
type Tool = 'count' | 'count-slowly';

async function count(
  lane: Lane,
  by: number,
  handle?: string,
  name: Tool = 'count',
): Promise<{ value: number; handle: string }> {
  const { status, answer } = await lane.request('tools/call', {
    name,
    arguments: { by, ...(handle !== undefined && { handle }), ...(name === 'count-slowly' && { turns: 5 }) },
  });
  const counted = answer?.result?.['structuredContent'];
  if (counted === undefined) throw new Error(`${lane.name}: ${status} ${JSON.stringify(answer)}`);
  return counted as { value: number; handle: string };
}

/** Increments until the server is gone; the call that fails then is one that may or may not have happened. */
async function load(server: DevServer, counter: Counter, until: AbortSignal, done: () => void): Promise<void> {
  // By handle, and from the other route too, so that forwarded calls are killed as well.
  for (let turn = 0; !until.aborted; turn += 1) {
    const lane = await openOn(server, KINDS[turn % KINDS.length] ?? 'modern').catch(() => undefined);
    if (lane === undefined) continue;
    for (let calls = 0; calls < 10 && !until.aborted; calls += 1) {
      try {
        const tool = calls % 2 === 0 ? 'count' : 'count-slowly';
        await count(lane, 1, counter.handle, tool);
        counter.acknowledged += 1;
        if (tool === 'count-slowly') counter.waited += 1;
        done();
      } catch {
        counter.cutShort += 1;
        return;
      }
    }
  }
}

export async function proveKills({ kills, load: wantedLoad, counters: wanted }: Options): Promise<KillSummary> {
  const persistTo = await mkdtemp(path.join(tmpdir(), 'hybrid-mcp-kill-'));
  const wrong: string[] = [];
  let [acknowledged, cutShort, cutShortButDone] = [0, 0, 0];
  try {
    let server = await startDevServer({ config: CONFIG, persistTo });
    const first = server;
    const counters: Counter[] = await Promise.all(
      Array.from({ length: wanted }, async (_, index) => {
        const kind = KINDS[index % KINDS.length] ?? 'modern';
        const { handle } = await count(await openOn(first, kind), 0);
        return { name: `${kind} ${index}`, kind, handle, acknowledged: 0, cutShort: 0, waited: 0 };
      }),
    );
    for (let kill = 0; kill < kills; kill += 1) {
      const over = new AbortController();
      const current = server;
      let left = wantedLoad;
      const { promise: loaded, resolve: enough } = Promise.withResolvers<void>();
      const done = (): void => void ((left -= 1) === 0 && enough());
      const work = counters.map((counter) => load(current, counter, over.signal, done));
      await loaded;
      await server.kill();
      over.abort();
      await Promise.all(work);

      server = await startDevServer({ config: CONFIG, persistTo });
      const reader = await openOn(server, 'modern');
      for (const counter of counters) {
        const { value } = await count(reader, 0, counter.handle);
        const most = counter.acknowledged + counter.cutShort;
        if (value < counter.acknowledged || value > most)
          wrong.push(`${counter.name}: ${value} is not in ${counter.acknowledged}..${most}`);
        cutShort += counter.cutShort;
        cutShortButDone += value - counter.acknowledged;
        // From here on the value is known, whatever happened to the calls that were cut short.
        Object.assign(counter, { acknowledged: value, cutShort: 0 });
      }
    }
    acknowledged = counters.reduce((sum, counter) => sum + counter.acknowledged, 0) - cutShortButDone;
    await server.stop();
    const waited = counters.reduce((sum, counter) => sum + counter.waited, 0);
    return { kills, acknowledged, waited, cutShort, cutShortButDone, wrong };
  } finally {
    await rm(persistTo, { recursive: true, force: true, maxRetries: 3 });
  }
}
