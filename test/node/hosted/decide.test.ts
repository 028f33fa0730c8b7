/** Who answers at the URL of a class of one's own. */
import { describe, it } from 'vitest';
import { decideHosted, type HostedFacts, type HostedPosition } from '../../../src/hosted/decide.ts';

const OPENS: HostedFacts = {
  era: '2025',
  opens: true,
  hasSession: false,
  canBegin: true,
  needsSession: false,
  hasObject: true,
};
const CALLS: HostedFacts = { ...OPENS, opens: false, hasSession: true };
const NEWEST: HostedFacts = { ...OPENS, era: '2026', opens: false };
const at = (stage: HostedPosition['stage'], more: Partial<HostedPosition> = {}): HostedPosition => ({
  stage,
  flag: 'flag',
  brake: false,
  ...more,
});
const BRAKE = { brake: true };

const CASES: readonly (readonly [string, HostedFacts, HostedPosition, string])[] = [
  ['begins', OPENS, at('legacy'), 'legacy flag'],
  ['begins', OPENS, at('shadow'), 'legacy shadow'],
  ['begins', OPENS, at('stateless'), 'compat flag'],
  ['begins', OPENS, at('gone'), 'none gone'],
  ['cannot begin', { ...OPENS, canBegin: false }, at('stateless'), 'legacy flag'],
  ['cannot begin, and the lane is gone', { ...OPENS, canBegin: false }, at('gone'), 'none gone'],
  ['begins, braked', OPENS, at('stateless', BRAKE), 'legacy brake'],
  ['begins and can be asked', { ...OPENS, needsSession: true }, at('stateless'), 'legacy needs_session'],
  ['calls in a session', CALLS, at('stateless'), 'legacy pinned'],
  ['calls in a session, braked', CALLS, at('stateless', BRAKE), 'legacy pinned'],
  ['calls without a session', { ...CALLS, hasSession: false }, at('stateless'), 'legacy no_session'],
  ['calls in the newest protocol', NEWEST, at('legacy'), 'legacy flag'],
  ['calls in the newest protocol', NEWEST, at('stateless'), 'modern era_2026'],
  ['calls in the newest protocol', NEWEST, at('drain'), 'modern era_2026'],
  ['asks in the newest protocol what there is', { ...NEWEST, opens: true }, at('drain'), 'legacy flag'],
  ['calls in the newest protocol', NEWEST, at('off'), 'none off'],
  ['has no object', { ...NEWEST, hasObject: false }, at('stateless'), 'legacy needs_session'],
  ['calls in the newest protocol, braked', NEWEST, at('stateless', BRAKE), 'modern era_2026'],
  ['asks in the newest protocol what there is', { ...NEWEST, opens: true }, at('stateless'), 'modern era_2026'],
  ['asks what there is, braked', { ...NEWEST, opens: true }, at('stateless', BRAKE), 'legacy brake'],
];

describe('a client that', () => {
  it.for(CASES)('%s', ([, facts, position, expected], { expect }) => {
    const { lane, reason } = decideHosted(facts, position);
    expect(`${lane} ${reason}`).toBe(expected);
  });
});
