/** The contract, run by all three lanes over their real wires inside workerd. */
import { exports } from 'cloudflare:workers';
import { describe, it } from 'vitest';
import { Aliases } from '../../src/parity/alias.ts';
import { compare } from '../../src/parity/compare.ts';
import { DifferenceLedger } from '../../src/parity/known.ts';
import { observe, type Observation } from '../../src/parity/observe.ts';
import type { Json } from '../../src/shared/json.ts';
import { LANE_NAMES, openLane, type Lane, type LaneName } from '../support/wire.ts';
import { CASES, type Case } from './cases.ts';
import { KNOWN_DIFFERENCES } from './known-differences.ts';

const ledger = new DifferenceLedger(KNOWN_DIFFERENCES);
const send = (request: Request): Promise<Response> => exports.default.fetch(request);

async function runCase(lane: Lane, { steps }: Case): Promise<Observation> {
  const aliases = new Aliases();
  let last: Observation = { kind: 'harness_error', cause: 'the case has no steps' };
  for (const { method, params } of steps) {
    const reply = await lane.request(method, aliases.restore((params ?? {}) as Json) as Record<string, unknown>);
    last = aliases.apply(observe(reply.answer));
  }
  return last;
}

describe.each(LANE_NAMES)('contract on %s', (name: LaneName) => {
  for (const item of CASES) {
    it(item.name, async ({ expect }) => {
      // A session of its own for each case, so that state cannot leak from one into another.
      const lane = await openLane(name, { origin: 'http://localhost', send });
      const saw = await runCase(lane, item);
      const control = { lane: 'expected', saw: item.expected };
      const comparison = compare({ case: item.name, control, candidate: { lane: name, saw } }, ledger);
      expect({ ...comparison, known: [] }).toEqual({
        verdict: comparison.known.length > 0 ? 'known_difference' : 'match',
        differences: [],
        known: [],
      });
      await lane.close();
    });
  }
});

describe('known differences', () => {
  it('every row happened in this run', ({ expect }) => {
    expect(CASES.length).toBeGreaterThan(50);
    expect(ledger.stale()).toEqual([]);
  });
});
