/** The decision: a table over everything that it depends on, and the laws that hold over all of it. */
import * as fc from 'fast-check';
import { describe, it } from 'vitest';
import { decide, needsOf, settle, type Decision, type Facts, type Position } from '../../../src/router/decide.ts';
import { LEGACY_STAGES, MCP_STAGES, SSE_STAGES } from '../../../src/cutover/stage.ts';

const LEGACY: Facts = {
  route: 'legacy',
  era: '2025',
  session: 'none',
  opens: false,
  probes: false,
  needsSession: false,
  hasLegacy: true,
};
const MCP: Facts = { ...LEGACY, route: 'mcp' };
const SSE: Facts = { ...LEGACY, route: 'sse' };
const at = (stage: Position['stage'], more: Partial<Position> = {}): Position => ({
  stage,
  flag: 'flag',
  brake: false,
  ...more,
});
const text = ({ lane, reason }: Decision): string => `${lane} ${reason}`;

/** Every row: who asks, where the route stands, what becomes of it. */
const TABLE: readonly (readonly [string, Facts, Position, string])[] = [
  ['begins on /legacy', { ...LEGACY, opens: true }, at('legacy'), 'legacy flag'],
  ['begins on /legacy', { ...LEGACY, opens: true }, at('shadow'), 'legacy shadow'],
  ['begins on /legacy', { ...LEGACY, opens: true }, at('stateless'), 'compat flag'],
  ['begins on /legacy', { ...LEGACY, opens: true }, at('gone'), 'none gone'],
  ['begins on /legacy, braked', { ...LEGACY, opens: true }, at('stateless', { brake: true }), 'legacy brake'],
  ['begins on /legacy, braked', { ...LEGACY, opens: true }, at('gone', { brake: true }), 'none gone'],
  [
    'begins on /legacy, flag missing',
    { ...LEGACY, opens: true },
    at('legacy', { flag: 'flag_missing' }),
    'legacy flag_missing',
  ],
  [
    'begins on /legacy, flag unreadable',
    { ...LEGACY, opens: true },
    at('stateless', { flag: 'flag_unreadable' }),
    'compat flag_unreadable',
  ],
  ['legacy session on /legacy', { ...LEGACY, session: 'legacy' }, at('legacy'), 'legacy pinned'],
  ['legacy session on /legacy', { ...LEGACY, session: 'legacy' }, at('stateless'), 'legacy pinned'],
  ['legacy session on /legacy', { ...LEGACY, session: 'legacy' }, at('gone'), 'none gone'],
  ['compat session on /legacy', { ...LEGACY, session: 'compat' }, at('stateless'), 'compat pinned'],
  ['compat session on /legacy after going back', { ...LEGACY, session: 'compat' }, at('legacy'), 'compat pinned'],
  ['no session on /legacy', LEGACY, at('legacy'), 'legacy no_session'],
  ['no session on /legacy', LEGACY, at('stateless'), 'compat no_session'],
  ['unknown session on /legacy', { ...LEGACY, session: 'unknown' }, at('legacy'), 'legacy unknown_session'],
  ['unknown session on /legacy', { ...LEGACY, session: 'unknown' }, at('stateless'), 'compat stale_session'],
  ['2026 on /legacy', { ...LEGACY, era: '2026' }, at('legacy'), 'none era_not_served'],
  ['2026 on /legacy', { ...LEGACY, era: '2026' }, at('gone'), 'none gone'],
  [
    'anything on /legacy without a legacy half',
    { ...LEGACY, hasLegacy: false, session: 'legacy' },
    at('legacy'),
    'none gone',
  ],
  ['the old transport', SSE, at('legacy'), 'legacy route'],
  ['the old transport', SSE, at('gone'), 'none gone'],
  ['2026 on the old transport', { ...SSE, era: '2026' }, at('legacy'), 'none era_not_served'],
  ['a probe of the old transport', { ...SSE, era: '2026', probes: true }, at('legacy'), 'legacy route'],
  ['a probe of the old transport', { ...SSE, era: '2026', probes: true }, at('gone'), 'none gone'],
  ['begins on /mcp', { ...MCP, opens: true }, at('stateless'), 'compat flag'],
  ['begins on /mcp', { ...MCP, opens: true }, at('legacy'), 'legacy flag'],
  ['begins on /mcp', { ...MCP, opens: true }, at('off'), 'none off'],
  ['begins on /mcp, braked', { ...MCP, opens: true }, at('stateless', { brake: true }), 'legacy brake'],
  [
    'begins on /mcp, needing a session',
    { ...MCP, opens: true, needsSession: true },
    at('stateless'),
    'legacy needs_session',
  ],
  [
    'begins on /mcp without a legacy half',
    { ...MCP, opens: true, needsSession: true, hasLegacy: false },
    at('legacy'),
    'compat no_legacy',
  ],
  ['legacy session on /mcp', { ...MCP, session: 'legacy' }, at('stateless'), 'legacy pinned'],
  [
    'legacy session on /mcp without a legacy half',
    { ...MCP, session: 'legacy', hasLegacy: false },
    at('stateless'),
    'compat stale_session',
  ],
  ['compat session on /mcp', { ...MCP, session: 'compat' }, at('legacy'), 'compat pinned'],
  ['no session on /mcp', MCP, at('stateless'), 'compat no_session'],
  ['unknown session on /mcp', { ...MCP, session: 'unknown' }, at('stateless'), 'compat stale_session'],
  ['2026 on /mcp', { ...MCP, era: '2026' }, at('stateless'), 'modern era_2026'],
  ['2026 on /mcp', { ...MCP, era: '2026' }, at('legacy'), 'modern era_2026'],
  ['2026 on /mcp', { ...MCP, era: '2026' }, at('drain'), 'modern era_2026'],
  ['2026 on /mcp, which begins', { ...MCP, era: '2026', probes: true }, at('drain'), 'none era_not_begun'],
  ['2026 on /mcp, which begins', { ...MCP, era: '2026', probes: true }, at('stateless'), 'modern era_2026'],
  ['initialize on /mcp', { ...MCP, opens: true }, at('drain'), 'compat flag'],
  ['2026 on /mcp', { ...MCP, era: '2026' }, at('off'), 'none off'],
];

const facts: fc.Arbitrary<Facts> = fc.record({
  route: fc.constantFrom('legacy', 'sse', 'mcp'),
  era: fc.constantFrom('2025', '2026'),
  session: fc.constantFrom('none', 'legacy', 'compat', 'unknown'),
  opens: fc.boolean(),
  probes: fc.boolean(),
  needsSession: fc.boolean(),
  hasLegacy: fc.boolean(),
});
const STAGES_OF = { legacy: LEGACY_STAGES, sse: SSE_STAGES, mcp: MCP_STAGES } as const;
const positionOn = (route: Facts['route']): fc.Arbitrary<Position> =>
  fc.record({
    stage: fc.constantFrom<Position['stage']>(...STAGES_OF[route]),
    flag: fc.constantFrom('flag', 'flag_missing', 'flag_unreadable'),
    brake: fc.boolean(),
  });
const both = facts.chain((who) => positionOn(who.route).map((where) => [who, where] as const));

describe('the decision', () => {
  it.for(TABLE)('%s, at %o', ([, who, where, expected], { expect }) => {
    expect(text(decide(who, where))).toBe(expected);
  });

  it('never gives a 2026 request to SDK v1, but a probe that it refuses on the stream of the old transport', ({
    expect,
  }) => {
    fc.assert(
      fc.property(
        both,
        ([who, where]) =>
          who.era === '2025' || (who.route === 'sse' && who.probes) || decide(who, where).lane !== 'legacy',
      ),
      { numRuns: 2_000 },
    );
    expect(decide({ ...MCP, era: '2026' }, at('legacy')).lane).toBe('modern');
  });

  it('never moves a live session, whatever the stage and the brake, but ends it with its route', () => {
    fc.assert(
      fc.property(both, ([who, where]) => {
        if (
          who.opens ||
          who.era === '2026' ||
          who.route === 'sse' ||
          !who.hasLegacy ||
          ['gone', 'off'].includes(where.stage)
        )
          return true;
        const { lane } = decide(who, where);
        return who.session === 'legacy' || who.session === 'compat' ? lane === who.session : true;
      }),
      { numRuns: 2_000 },
    );
  });

  it('never gives a request to a half that is not there', () => {
    fc.assert(
      fc.property(both, ([who, where]) => who.hasLegacy || decide(who, where).lane !== 'legacy'),
      { numRuns: 2_000 },
    );
  });

  it('puts every new session on the legacy lane while the brake is on, and touches nothing else', () => {
    fc.assert(
      fc.property(both, ([who, where]) => {
        const braked = decide(who, { ...where, brake: true });
        if (!needsOf(who).brake) return text(braked) === text(decide(who, { ...where, brake: false }));
        return braked.lane === 'legacy' || braked.lane === 'none';
      }),
      { numRuns: 2_000 },
    );
  });

  it('asks for a client’s own stage only where a session begins', () => {
    fc.assert(
      fc.property(facts, (who) => needsOf(who).stage !== 'client' || who.opens),
      { numRuns: 500 },
    );
  });

  it.for([
    ['drained', LEGACY, 'legacy', 'compat drained'],
    ['drained', MCP, 'stateless', 'compat drained'],
    ['drained', SSE, 'legacy', 'legacy unknown_session'],
    ['live', LEGACY, 'legacy', 'legacy pinned'],
    ['foreign', LEGACY, 'stateless', 'legacy unknown_session'],
    ['foreign', MCP, 'stateless', 'legacy unknown_session'],
    ['foreign', SSE, 'legacy', 'legacy unknown_session'],
    ['gone', LEGACY, 'legacy', 'legacy unknown_session'],
    ['gone', LEGACY, 'shadow', 'legacy unknown_session'],
    ['gone', LEGACY, 'stateless', 'compat stale_session'],
    ['gone', MCP, 'stateless', 'compat stale_session'],
    ['gone', MCP, 'legacy', 'compat stale_session'],
    ['gone', SSE, 'legacy', 'legacy unknown_session'],
  ] as const)('settles a session that is %s', ([standing, facts, stage, expected], { expect }) => {
    expect(text(settle({ ...facts, session: 'legacy' }, at(stage), standing))).toBe(expected);
  });
});
