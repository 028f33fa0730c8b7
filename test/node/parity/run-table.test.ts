/** The table runner on lanes that are plain functions. */
import { describe, it } from 'vitest';
import { DifferenceLedger } from '../../../src/parity/known.ts';
import type { Observation } from '../../../src/parity/observe.ts';
import { runTable, type AskedLane, type Call, type TableRow } from '../../../src/parity/run-table.ts';

const HANDLES = { old: 'h_AAAAAAAAAAAAAAAAAAAAAAAAAAA', new: 'h_BBBBBBBBBBBBBBBBBBBBBBBBBBB' } as const;
const row = (name: string): TableRow => ({ name, method: 'tools/call', params: { name } });
const text = (value: string): Observation => ({
  kind: 'result',
  result: { content: [{ type: 'text', text: value }] },
});
const lane = (name: string, ask: (call: Call) => Observation): AskedLane => ({ name, ask: async (call) => ask(call) });

async function run(rows: readonly TableRow[], ...lanes: readonly AskedLane[]) {
  let clock = 0;
  return runTable(rows, lanes, new DifferenceLedger([]), () => (clock += 5));
}

describe('runTable', () => {
  it('asks every lane and keeps answers and times in order', async ({ expect }) => {
    const same = () => text('ok');
    const [result] = await run([row('a')], lane('old', same), lane('new', same));
    expect(result).toEqual({
      name: 'a',
      call: { method: 'tools/call', params: { name: 'a' } },
      verdict: 'match',
      answers: [
        { lane: 'old', ms: 5, saw: text('ok') },
        { lane: 'new', ms: 5, saw: text('ok') },
      ],
      comparisons: [{ candidate: 'new', verdict: 'match', differences: [], known: [] }],
    });
  });

  it('gives each lane its own handle back under one name', async ({ expect }) => {
    const passed: unknown[] = [];
    const counter = (name: 'old' | 'new') =>
      lane(name, ({ params }) => {
        passed.push(params?.['handle']);
        return text(HANDLES[name]);
      });
    const next = { name: 'next', method: 'tools/call', params: { handle: '<name 1>' } };
    const results = await run([row('first'), next], counter('old'), counter('new'));
    expect(results.map(({ verdict }) => verdict)).toEqual(['match', 'match']);
    expect(passed).toEqual([undefined, undefined, HANDLES.old, HANDLES.new]);
  });

  it('sees a lane that gives a second handle where the other goes on with the first', async ({ expect }) => {
    let given = 0;
    const fresh = lane('new', () => text(`h_${String((given += 1)).padStart(27, 'C')}`));
    const results = await run(
      [row('first'), row('second')],
      lane('old', () => text(HANDLES.old)),
      fresh,
    );
    expect(results.map(({ verdict }) => verdict)).toEqual(['match', 'mismatch']);
    expect(results[1]?.comparisons[0]?.differences).toEqual([
      { path: 'result.content.0.text', control: '<name 1>', candidate: '<name 2>' },
    ]);
  });

  it('forgives the time of a call only in a row that says so', async ({ expect }) => {
    const at = (name: string, time: string) => lane(name, () => text(time));
    const lanes = [at('old', '2026-01-31T12:00:00.000Z'), at('new', '2026-01-31T12:00:00.001Z')];
    const rows: TableRow[] = [{ ...row('clock'), tellsTime: true }, row('plain')];
    expect((await run(rows, ...lanes)).map(({ verdict }) => verdict)).toEqual(['match', 'mismatch']);
  });

  it('makes a harness error of what a lane throws, and no mismatch', async ({ expect }) => {
    const broken = lane('new', () => {
      throw new Error('no answer');
    });
    const [result] = await run(
      [row('a')],
      lane('old', () => text('ok')),
      broken,
    );
    expect(result?.verdict).toBe('harness_error');
    expect(result?.comparisons[0]?.cause).toBe('new: Error: no answer');
  });

  it('shows a mismatch of one lane even where another could not be asked', async ({ expect }) => {
    const broken = lane('third', () => {
      throw new Error('no answer');
    });
    const old = lane('old', () => text('ok'));
    const [result] = await run(
      [row('a')],
      old,
      lane('new', () => text('other')),
      broken,
    );
    expect(result?.verdict).toBe('mismatch');
  });
});
