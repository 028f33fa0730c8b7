/** The table of versions of `agents` that the legacy lane was tried with: it has the installed one, and the docs have it. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(resolve(ROOT, file), 'utf8');

interface Row {
  readonly agents: string;
  readonly sdk: string;
  readonly server: string;
  readonly works: boolean;
  /** Tests that failed; empty where it works. */
  readonly failed: readonly string[];
}

const rows = JSON.parse(read('src/legacy/agents-versions.json')) as readonly Row[];
const versionOf = (name: string): unknown =>
  (JSON.parse(read(`node_modules/${name}/package.json`)) as { version: string }).version;

describe('the versions that the legacy lane was tried with', () => {
  it('have the installed one, with the SDKs that it pins', ({ expect }) => {
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ agents }) => agents === versionOf('agents'))).toEqual([
      {
        agents: versionOf('agents'),
        sdk: versionOf('@modelcontextprotocol/sdk'),
        server: versionOf('@modelcontextprotocol/server'),
        works: true,
        failed: [],
      },
    ]);
  });

  it('work if nothing failed, and only then', ({ expect }) => {
    expect(rows.filter(({ works, failed }) => works !== (failed.length === 0))).toEqual([]);
  });

  it('are in the documentation', ({ expect }) => {
    const table = /<!-- agents versions[^>]*-->\n\n[^\n]*\n[^\n]*\n((?:\|[^\n]*\n)+)/.exec(
      read('docs/architecture.md'),
    )?.[1];
    expect(table).toBe(
      rows.map(({ agents, sdk, works }) => `| ${agents} | ${sdk} | ${works ? 'yes' : 'no'} |\n`).join(''),
    );
  });

  it('are run by CI, those that work, and the newest', ({ expect }) => {
    const [, matrix = ''] = /^ +agents: \[(.*)\]$/m.exec(read('.github/workflows/ci.yml')) ?? [];
    expect(matrix.split(', ')).toEqual([...rows.filter(({ works }) => works).map(({ agents }) => agents), 'latest']);
  });
});
