/** docs/clients.md says what came when the clients were tried, of every client and route, and nothing else. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'vitest';
import { clientsPage } from '../clients/page.ts';
import { CLIENTS, ROUTES } from '../clients/packages.ts';
import type { Tried } from '../clients/run.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
const results = JSON.parse(read('test/clients/results.json')) as Tried[];

describe('the page of the clients that were tried', () => {
  it('is what its results give', ({ expect }) => {
    expect(read('docs/clients.md')).toBe(clientsPage(results));
  });

  it('has every client on every route that it can speak', ({ expect }) => {
    const expected = CLIENTS.flatMap(({ name, transports }) =>
      ROUTES.filter(({ transport }) => transports.includes(transport)).map((route) => `${name}, ${route.name}`),
    );
    expect(CLIENTS.length).toBeGreaterThanOrEqual(10);
    expect(expected.length).toBeGreaterThanOrEqual(70);
    expect(results.map(({ client, route }) => `${client}, ${route}`)).toEqual(expected);
  });

  it('has a reason for each check that did not pass, and no failure', ({ expect }) => {
    const cells = results.flatMap(({ cells: each }) => Object.values(each));
    expect(cells.filter(({ is }) => is === 'pass').length).toBeGreaterThan(500);
    expect(cells.filter(({ is, says = '' }) => is === 'fail' || (is === 'not' && says === ''))).toEqual([]);
  });

  it('names the versions that this project has, of those that it has', ({ expect }) => {
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
    const own = CLIENTS.flatMap(({ own: isOwn, install }) => (isOwn === true ? install : []));
    expect(own.length).toBeGreaterThanOrEqual(5);
    for (const each of own) {
      const at = each.lastIndexOf('@');
      expect(`${each.slice(0, at)}@${dependencies[each.slice(0, at)]}`).toBe(each);
    }
  });
});
