/** Tries one client on one route, with a watch in between. */
import { CHECKS, tryClient, type Cells } from './checks.ts';
import type { Load } from './driver.ts';
import type { Route, TriedClient } from './packages.ts';
import { startWatch, type Seen } from './watch.ts';

export interface On {
  readonly client: TriedClient;
  readonly route: Route;
  /** The address of the server that has the route. */
  readonly worker: string;
  readonly load: Load;
  /** Whether its session is ended behind its back at last. */
  readonly ends: boolean;
}

export interface Tried extends Seen {
  readonly client: string;
  readonly route: string;
  readonly cells: Cells;
}

export async function tryOn({ client, route, worker, load, ends }: On): Promise<Tried> {
  const { driver, asks, only } = client;
  if (only !== undefined && only.path !== route.path) return nothingOf(client, route, only.why);
  await using watch = await startWatch(worker);
  const target = { url: `${watch.url}${route.path}`, transport: route.transport, worker };
  const cells = await tryClient({ driver, load, target, asks, ends });
  return { client: client.name, route: route.name, cells, ...watch.seen() };
}

function nothingOf(client: TriedClient, route: Route, why: string): Tried {
  const cells = Object.fromEntries(CHECKS.map((check) => [check, { is: 'not', says: why }])) as Cells;
  return { client: client.name, route: route.name, cells, lanes: [], versions: [], deletes: false, listens: false };
}
