/**
 * Whatever a server does, a run ends within its bound, with every report, and says what happened. A share of the modes runs
 * here; `npm run prove:hostile` runs them all.
 */
import process from 'node:process';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { renderHtml } from '../../../cli/parity/report/html.ts';
import { renderJunit } from '../../../cli/parity/report/junit.ts';
import { renderMarkdown } from '../../../cli/parity/report/markdown.ts';
import { renderTable } from '../../../cli/parity/report/table.ts';
import type { Address } from '../../../cli/parity/targets/target.ts';
import { startBad } from './support/bad-servers.ts';
import type { CopyServer } from './support/copy-server.ts';
import { MODES, NODE, programOf, type Mode } from './support/hostile.ts';
import { at, compareTwo, target } from './support/run.ts';

const ALL = process.env['PARITY_HOSTILE'] === 'all';
const SHARE = 8;
const CHOSEN = MODES.filter((_mode, index) => ALL || index % SHARE === 0);
const MOST_MS = 45_000;

let sane: CopyServer;
beforeAll(async () => {
  sane = await startBad();
});
afterAll(() => sane[Symbol.asyncDispose]());

async function open({ http, stdio }: Mode): Promise<AsyncDisposable & { readonly address: Address }> {
  if (stdio !== undefined)
    return {
      address: { kind: 'stdio', command: [NODE, '--no-warnings', '-e', programOf(stdio)] },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  const server = await startBad(http?.());
  return { address: at(server.url), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

it('there are many modes, each with a name of its own', ({ expect }) => {
  expect(MODES.length).toBeGreaterThanOrEqual(60);
  expect(new Set(MODES.map(({ name }) => name)).size).toBe(MODES.length);
  expect(CHOSEN.length).toBeGreaterThanOrEqual(ALL ? 60 : 12);
});

describe('a server with', () => {
  it.concurrent.for(CHOSEN)('$name', { timeout: MOST_MS * 2 }, async (mode, { expect }) => {
    await using hostile = await open(mode);
    const startedAt = performance.now();
    const report = await compareTwo(mode.both === true ? hostile.address : at(sane.url), hostile.address, {
      control: target(
        'control',
        mode.both === true ? hostile.address : at(sane.url),
        mode.both === true ? mode.era : '2025',
      ),
      candidates: [target('candidate', hostile.address, mode.era ?? '2025')],
      cases: 20,
      selection: { only: [], skip: [], allowWrites: mode.writes ?? false },
      timeoutMs: mode.timeoutMs ?? 2_000,
      connectTimeoutMs: 10_000,
      slower: { factor: 3, byMs: 20_000 },
    });
    const took = performance.now() - startedAt;
    expect([report.exitCode, JSON.stringify(report)]).toEqual([mode.exitCode, expect.stringMatching(mode.says)]);
    expect(report.counts.match).toBeGreaterThanOrEqual(mode.matches ?? 0);
    expect(took).toBeLessThan(MOST_MS);
    for (const render of [renderHtml, renderJunit, renderMarkdown, (each: typeof report) => renderTable(each, false)])
      expect(render(report).length).toBeGreaterThan(100);
  });
});
