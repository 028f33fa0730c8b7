/** The order of the runbook's steps, and how long each is stayed at: what is refused, with what words, and what goes on. */
import { afterEach, beforeEach, describe, it } from 'vitest';
import { cliWorld, type CliWorld } from './cli-support.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const why = ['--why', 'a test', '--who', 'jane'];

let world: CliWorld;
beforeEach(async () => {
  world = await cliWorld();
  await world.at('flags', 'init', ...why);
});
afterEach(() => world.close());

/** Commands that are given whatever speaks against it, so that a test begins where it has to. */
async function begin(...commands: readonly string[]): Promise<void> {
  for (const command of commands) {
    const { exitCode, error } = await world.at(...command.split(' '), '--early', 'the beginning of a test', ...why);
    if (exitCode !== 0) throw new Error(`${command}: ${error}`);
  }
}

const stored = (): string => JSON.stringify([...world.flags]);

describe('a step forward', () => {
  it.for<[string, string[], number, string, string]>([
    [
      'a ramp that begins with more than a quarter',
      [],
      0,
      'ramp legacy stateless 26',
      'a ramp begins with 25 % or less',
    ],
    ['a ramp that begins with everybody', [], 0, 'ramp legacy stateless 100', 'a ramp begins with 25 % or less'],
    [
      'a larger share within a day',
      ['ramp legacy stateless 25'],
      23 * HOUR,
      'ramp legacy stateless 50',
      'the ramp is at 25 % for 23 hours only: stay for a day',
    ],
    [
      'everybody without a ramp',
      [],
      30 * DAY,
      'set legacy stateless',
      'a ramp to stateless comes first: a share of new sessions',
    ],
    [
      'everybody within a day of the last share',
      ['ramp legacy stateless 50'],
      HOUR / 2,
      'set legacy stateless',
      'the ramp is at 50 % for 30 minutes only: stay for a day',
    ],
    [
      'gone before stateless',
      ['set sse gone'],
      30 * DAY,
      'set legacy gone',
      'stateless comes first: the route is at legacy',
    ],
    [
      'gone within a week of everybody',
      ['set legacy stateless', 'set sse gone'],
      6.9 * DAY,
      'set legacy gone',
      'everybody is at stateless for 6 days only: stay for 7 days; /legacy/sse is gone for 6 days only: stay for 7 days',
    ],
    [
      'gone before the old transport, to which clients fall back',
      ['set legacy stateless'],
      30 * DAY,
      'set legacy gone',
      '/legacy/sse goes first: clients that find /legacy/mcp gone fall back to it without a word',
    ],
    ['the old transport first of all', [], 30 * DAY, 'set sse gone', '/legacy/mcp comes first: it is at legacy'],
    [
      '/mcp to everybody without a ramp',
      ['set mcp legacy'],
      30 * DAY,
      'set mcp stateless',
      'a ramp to stateless comes first',
    ],
  ])('is refused: %s', async ([, before, laterMs, command, problem], { expect }) => {
    await begin(...before);
    world.now += laterMs;
    const was = stored();
    const log = world.log.length;
    for (const dry of [[], ['--dry-run']]) {
      const { exitCode, error } = await world.at(...command.split(' '), ...dry, ...why);
      expect({ exitCode, flags: stored(), log: world.log.length }).toEqual({ exitCode: 1, flags: was, log });
      expect(error).toContain(`It is too early: ${problem}`);
      expect(error).toContain('\nWait, or say why the steps need not be kept: --early "…".');
    }
    expect((await world.at(...command.split(' '), '--early', 'we dare', ...why)).exitCode).toBe(0);
    expect(world.log[0]).toMatchObject({ who: 'admin token', said: 'jane', detail: { early: 'we dare' } });
  });

  it('goes on in the order and with the times of the runbook', async ({ expect }) => {
    for (const [command, stay] of [
      ['set legacy shadow', 0],
      ['set legacy legacy', 0],
      ['ramp legacy stateless 1', DAY],
      ['ramp legacy stateless 25', DAY],
      ['ramp legacy stateless 50', DAY],
      ['set legacy stateless', 7 * DAY],
      ['set sse gone', 7 * DAY],
      ['set legacy gone', 0],
    ] as const) {
      const { exitCode, error } = await world.at(...command.split(' '), ...why);
      expect({ command, exitCode, error }).toEqual({ command, exitCode: 0, error: undefined });
      world.now += stay;
    }
  });

  it('is not held up by a cohort, which is no step, and does not begin anew with one', async ({ expect }) => {
    await begin('ramp legacy stateless 25');
    world.now += DAY;
    expect((await world.at('set', 'legacy', 'stateless', '--client', 'desktop', ...why)).exitCode).toBe(0);
    expect((await world.at('ramp', 'legacy', 'stateless', '50', ...why)).exitCode).toBe(0);
  });

  it('of a flag that was changed by other means is refused: since when it stands is not known', async ({ expect }) => {
    await begin('ramp legacy stateless 25');
    world.now += 30 * DAY;
    const flag = world.flags.get('legacy-route');
    if (flag !== undefined) flag.default_variation = 'stateless';
    await begin('set sse gone');
    world.now += 30 * DAY;
    expect((await world.at('set', 'legacy', 'gone', ...why)).error).toContain(
      'everybody is at stateless, and since when is not known: stay for 7 days',
    );
  });

  it('needs a reason that says something', async ({ expect }) => {
    const { exitCode, error } = await world.at('set', 'legacy', 'stateless', '--early', ' ', ...why);
    expect({ exitCode, error }).toEqual({ exitCode: 2, error: expect.stringContaining('--early is empty') });
  });
});

describe('a step back', () => {
  it.for([
    [['set legacy stateless', 'set sse gone', 'set legacy gone'], 'set legacy stateless'],
    [['set legacy stateless'], 'set legacy legacy'],
    [['ramp legacy stateless 50'], 'ramp legacy stateless 25'],
    [['ramp legacy stateless 50'], 'ramp legacy stateless 0'],
    [['set legacy stateless', 'set sse gone'], 'set sse legacy'],
    [[], 'set mcp legacy'],
    [[], 'set mcp off'],
    [['set mcp off'], 'set mcp stateless'],
  ] as const)('after %o is never held up: %s', async ([before, command], { expect }) => {
    await begin(...before);
    expect(await world.at(...command.split(' '), ...why)).toMatchObject({ exitCode: 0 });
  });
});

describe('a stage that ends open sessions', () => {
  const open = { legacy: 0, sse: 0, drained: 0, compat: 0 };

  it.for<[string, string[], object, string]>([
    [
      'set legacy gone',
      ['set legacy stateless', 'set sse gone'],
      { legacy: 568 },
      '568 sessions are open, and each of their calls would be answered 410 at once',
    ],
    [
      'set legacy gone',
      ['set legacy stateless', 'set sse gone'],
      { legacy: 1, drained: 7 },
      '1 session is open, and 7 that were drained, and each',
    ],
    ['set sse gone', ['set legacy stateless'], { sse: 3 }, '3 sessions are open'],
    ['set mcp off', [], { compat: 2 }, '2 sessions are open, and each of their calls would be answered 404 at once'],
  ])('is told twice: %s after %o with %o', async ([command, before, sessions, message], { expect }) => {
    await begin(...before);
    world.now += 30 * DAY;
    world.census = { ...world.census, openSessions: { ...open, ...sessions } };
    const was = stored();
    for (const more of [[], ['--dry-run'], ['--early', 'a reason is no second word']]) {
      const { exitCode, error } = await world.at(...command.split(' '), ...more, ...why);
      expect({ exitCode, flags: stored() }).toEqual({ exitCode: 1, flags: was });
      expect(error).toContain(message);
      expect(error).toContain('--even-if-open');
    }
    const { exitCode, out } = await world.at(...command.split(' '), '--even-if-open', ...why);
    expect(exitCode).toBe(0);
    expect(out).toContain('answers everybody at once, sessions that are open too');
    expect(world.log[0]).toMatchObject({ detail: { evenIfOpen: true } });
  });

  it('is told twice if how many are open is not known', async ({ expect }) => {
    await begin('set legacy stateless', 'set sse gone');
    world.now += 30 * DAY;
    Object.assign(world.options.census, { read: () => Promise.reject(new Error('no census')) });
    expect((await world.at('set', 'legacy', 'gone', ...why)).error).toContain(
      'how many sessions are open is not known',
    );
    expect((await world.at('set', 'legacy', 'gone', '--even-if-open', ...why)).exitCode).toBe(0);
  });

  it('counts sessions that the census could not track', async ({ expect }) => {
    await begin('set legacy stateless', 'set sse gone');
    world.now += 30 * DAY;
    world.census = { ...world.census, untrackedSessions: 4 };
    expect((await world.at('set', 'legacy', 'gone', ...why)).error).toContain('4 sessions are open');
  });
});
