/**
 * The share of docs/clients.md that needs no installation and one Worker: the clients that this project has, on the routes
 * of a first deployment. All of it is `npm run prove:clients`.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { startDevServer, type DevServer } from '../../scripts/lib/dev-server.ts';
import type { Cells } from '../clients/checks.ts';
import { CLIENTS, ROUTES } from '../clients/packages.ts';
import { tryOn, type Tried } from '../clients/run.ts';

const results = JSON.parse(readFileSync(path.join(import.meta.dirname, '../clients/results.json'), 'utf8')) as Tried[];
const FIRST = ROUTES.filter(({ vars }) => Object.keys(vars).length === 0);

let server: DevServer;
beforeAll(async () => {
  server = await startDevServer({ config: 'test/clients/server/wrangler.toml' });
});
afterAll(() => server.stop());

/** Without the end of a session, for which a client waits in vain for seconds. */
const shown = ({ client, route, lanes, cells }: Tried): object => {
  const { 'session ended': _, ...rest } = cells satisfies Cells;
  return { client, route, lanes, ...rest };
};

describe('clients that are installed anyway', () => {
  it('do on each route what the page says of them', async ({ expect }) => {
    const runs = CLIENTS.filter(({ own }) => own === true).flatMap((client) =>
      FIRST.filter(({ transport }) => client.transports.includes(transport)).map((route) => ({ client, route })),
    );
    expect(new Set(runs.map(({ client }) => client.name)).size).toBe(5);
    expect(runs.length).toBe(14);
    const load = (specifier: string): Promise<unknown> => import(specifier);
    const tried = await Promise.all(runs.map((run) => tryOn({ ...run, worker: server.url, load, ends: false })));
    const expected = runs.flatMap(({ client, route }) =>
      results.filter((each) => each.client === client.name && each.route === route.name),
    );
    expect(tried.map(shown)).toEqual(expected.map(shown));
  });
});
