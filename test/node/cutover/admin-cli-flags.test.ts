/** The flags as a whole: made at what the Worker does, changed by one operator at a time, and looked for in the right place. */
import { mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'vitest';
import type { RunWrangler } from '../../../cli/cutover/run-wrangler.ts';
import { NOW } from './admin-support.ts';
import { cliWorld, type CliWorld } from './cli-support.ts';

let world: CliWorld;
let folder = '';
beforeEach(async () => {
  world = await cliWorld();
  folder = await mkdtemp(path.join(tmpdir(), 'hybrid-mcp-flags-'));
});
afterEach(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

const why = ['--why', 'a test', '--who', 'jane'];
const stages = () => [...world.flags.values()].map(({ key, default_variation }) => `${key} ${default_variation}`);

describe('flags init', () => {
  it('makes a lost flag at the stage that holds meanwhile, and is in the log before the flag is there', async ({
    expect,
  }) => {
    const trouble = { problem: 'The flag legacy-route is not there any more.', since: NOW };
    world.stages.legacy = { stage: 'stateless', reason: 'flag_unreadable', trouble };
    world.stages.sse = { stage: 'gone', reason: 'flag_unreadable', trouble };
    const { exitCode, out } = await world.at('flags', 'init', ...why);
    expect(exitCode).toBe(0);
    expect(out).toMatch(/legacy-route +stateless +made: stateless/);
    expect(stages()).toEqual(['legacy-route stateless', 'legacy-sse-route gone', 'mcp-route stateless']);
    expect(world.log.at(-1)).toEqual({
      at: NOW,
      who: 'admin token',
      said: 'jane',
      action: 'flag_init',
      why: 'a test',
      detail: {
        route: 'legacy',
        flag: 'legacy-route',
        whose: 'everybody',
        to: 'stateless',
        before: null,
        after: { default_variation: 'stateless', rules: [] },
      },
    });
  });

  it('makes what the variables do, shares and named clients included', async ({ expect }) => {
    Object.assign(world.env, {
      FLAGS: undefined,
      LEGACY_ROUTE_STAGE: 'legacy',
      LEGACY_ROUTE_NEXT: 'stateless',
      LEGACY_ROUTE_PERCENT: '10',
      LEGACY_ROUTE_CLIENTS: 'one, two',
    });
    const { out } = await world.at('flags', 'init', '--dry-run');
    expect(out).toContain(
      'would be made: legacy; 10 % of new sessions stateless; client one → stateless; client two → stateless',
    );
    expect([world.flags.size, world.log.length]).toEqual([0, 0]);
    expect((await world.at('flags', 'init', ...why)).out).toContain('which clients are drawn is not');
    const rules = world.flags
      .get('legacy-route')
      ?.rules.map(({ serve_variation, rollout }) => [serve_variation, rollout]);
    expect(rules).toEqual([
      ['stateless', undefined],
      ['stateless', undefined],
      ['stateless', { percentage: 10, attribute: 'targetingKey' }],
    ]);
  });

  it('makes nothing where the Worker reads a flag that the store does not have', async ({ expect }) => {
    world.stages.mcp = { stage: 'stateless', reason: 'flag' };
    const { exitCode, error } = await world.at('flags', 'init', ...why);
    expect({ exitCode, error }).toEqual({
      exitCode: 2,
      error: expect.stringContaining('The Worker reads a flag mcp-route, and there is none in the local flag store'),
    });
  });

  it('makes the stages of a Worker without flags if it is not asked, and says so', async ({ expect }) => {
    const { exitCode, out } = await world.at('flags', 'init', '--no-audit', '--persist-to', folder);
    expect(exitCode).toBe(0);
    expect(out).toContain('The Worker was not asked');
    expect(stages()).toEqual(['legacy-route legacy', 'legacy-sse-route legacy', 'mcp-route stateless']);
    expect(world.log).toEqual([]);
  });
});

describe('several operators', () => {
  beforeEach(async () => void (await world.at('flags', 'init')));

  /** Wrangler that takes its time where a flag is read or written, until the test lets it go on. */
  function slowWrangler(verb: string) {
    const reached = Promise.withResolvers<void>();
    const let_ = Promise.withResolvers<void>();
    const run: RunWrangler = async (args) => {
      if (args[2] === verb) {
        reached.resolve();
        await let_.promise;
      }
      return world.run(args);
    };
    return { run, reached: reached.promise, goOn: () => let_.resolve() };
  }

  it.for([
    ['set', ['set', 'legacy', 'shadow']],
    ['ramp', ['ramp', 'legacy', 'stateless', '10']],
    ['a cohort', ['set', 'legacy', 'stateless', '--client', 'desktop']],
    ['unset', ['unset', 'legacy', '--client', 'desktop']],
  ] as const)(
    'at once: one changes the flag, the others are told and write nothing (%s)',
    async ([, other], { expect }) => {
      for (const verb of ['list', 'update']) {
        const slow = slowWrangler(verb);
        const first = world.with(
          { run: slow.run },
          'ramp',
          'legacy',
          'stateless',
          '5',
          '--why',
          'first',
          '--who',
          'ann',
          '--early',
          'x',
        );
        await slow.reached;
        const before = JSON.stringify([...world.flags]);
        const log = world.log.length;
        const { exitCode, error } = await world.at(...other, ...why);
        expect({ exitCode, flags: JSON.stringify([...world.flags]), log: world.log.length }).toEqual({
          exitCode: 1,
          flags: before,
          log,
        });
        expect(error).toMatch(
          /^ann \(admin token\) is changing the flag of the route legacy since 2026-11-30T00:00:00.000Z\.\nNothing of yours was written\./,
        );
        expect((await world.at('status')).out).toContain(
          '/legacy/mcp: ann (admin token) is changing its flag since 2026-11-30 00:00:00 UTC',
        );
        slow.goOn();
        expect((await first).exitCode).toBe(0);
        expect(world.flags.get('legacy-route')?.rules[0]?.['rollout']).toEqual({
          percentage: 5,
          attribute: 'targetingKey',
        });
      }
    },
  );

  it('who begin together: one changes the flag, and the log has that one change', async ({ expect }) => {
    const [one, two, three] = await Promise.all([
      world.at('set', 'legacy', 'shadow', ...why),
      world.at('ramp', 'legacy', 'stateless', '5', ...why),
      world.at('ramp', 'legacy', 'stateless', '10', ...why),
    ]);
    expect([one, two, three].filter(({ exitCode }) => exitCode === 0)).toHaveLength(1);
    const told = [one, two, three].filter(({ exitCode }) => exitCode === 1).map(({ error }) => error);
    expect(told).toHaveLength(2);
    for (const error of told) expect(error).toContain('Nothing of yours was written.');
    expect(world.log.filter(({ action }) => action !== 'flag_init')).toHaveLength(1);
    expect(world.records.legacy).toMatchObject({ revision: 2 });
  });

  it('on different routes do not meet', async ({ expect }) => {
    const made = await Promise.all([
      world.at('ramp', 'legacy', 'stateless', '5', ...why),
      world.at('set', 'mcp', 'legacy', ...why),
    ]);
    expect(made.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  });

  it('are not held up for ever by one who went away', async ({ expect }) => {
    world.records.legacy = {
      revision: 1,
      claim: { who: 'admin token', said: 'ann', token: 'x', at: NOW, logged: true },
    };
    expect((await world.at('set', 'legacy', 'shadow', ...why)).exitCode).toBe(1);
    world.now += 60_000;
    expect((await world.at('set', 'legacy', 'shadow', ...why)).exitCode).toBe(0);
  });

  it('see in the log what was begun and not written', async ({ expect }) => {
    const run: RunWrangler = async (args) =>
      args[2] === 'update' ? { code: 1, out: '', complaint: 'the store is full' } : world.run(args);
    const { exitCode, error } = await world.with({ run }, 'set', 'legacy', 'shadow', ...why);
    expect({ exitCode, error }).toEqual({ exitCode: 2, error: expect.stringContaining('the store is full') });
    expect(world.log.slice(0, 2).map(({ action }) => action)).toEqual(['flag_failed', 'flag_set']);
    expect(world.records.legacy).toMatchObject({ revision: 1 });
    expect((await world.at('set', 'legacy', 'shadow', ...why)).exitCode).toBe(0);
  });

  it('leave the flag free when a change is refused', async ({ expect }) => {
    expect((await world.at('unset', 'legacy', '--client', 'nobody', ...why)).exitCode).toBe(1);
    expect((await world.at('set', 'legacy', 'shadow', ...why)).exitCode).toBe(0);
  });
});

describe('where the flags are', () => {
  it('is asked of the Worker', async ({ expect }) => {
    Object.assign(world.env, { LOCAL_STORE: folder });
    expect((await world.at('flags', 'init')).out).toContain(`the local flag store ${folder}`);
    expect(world.ran.every((args) => args[args.indexOf('--persist-to') + 1] === folder)).toBe(true);
  });

  it.for([
    ['set', ['set', 'legacy', 'shadow', ...why]],
    ['ramp', ['ramp', 'legacy', 'stateless', '5', ...why]],
    ['unset', ['unset', 'legacy', '--client', 'x', ...why]],
    ['flags init', ['flags', 'init']],
    ['drain', ['drain', '--all', ...why]],
    ['take-back', ['take-back', '--all', ...why]],
  ] as const)('is not another folder than the one that %s is given', async ([, args], { expect }) => {
    const { exitCode, error } = await world.at(...args, '--persist-to', folder);
    expect({ exitCode, error }).toEqual({
      exitCode: 2,
      error: `The Worker has its flags in ${tmpdir()}, and not in ${folder}.\nLeave --persist-to out, or name another Worker with --url.`,
    });
    expect([world.ran, world.log]).toEqual([[], []]);
  });

  it.for([
    ['set', ['set', 'legacy', 'shadow', ...why]],
    ['ramp', ['ramp', 'legacy', 'stateless', '5', ...why]],
    ['flags init', ['flags', 'init']],
    ['drain', ['drain', '--all', ...why]],
  ] as const)('is not a folder that is not there, for %s', async ([, args], { expect }) => {
    Object.assign(world.env, { LOCAL_STORE: undefined });
    const nowhere = path.join(folder, 'nowhere');
    const { exitCode, error } = await world.at(...args, '--persist-to', nowhere);
    expect({ exitCode, error: error?.split('\n')[0] }).toEqual({
      exitCode: 2,
      error: `There is no local flag store at ${nowhere}.`,
    });
    expect([world.ran, world.log]).toEqual([[], []]);
  });

  it('may be named by another path', async ({ expect }) => {
    const link = path.join(folder, 'link');
    await symlink(await realpath(tmpdir()), link);
    expect((await world.at('flags', 'init', '--persist-to', link)).exitCode).toBe(0);
    expect((await world.at('drain', '--all', '--persist-to', link, ...why)).exitCode).toBe(0);
  });
});

describe('status', () => {
  it('says what an operator should know of the configuration', async ({ expect }) => {
    world.warnings.push('ALLOWED_ORIGINS is "*": every page may call.');
    expect((await world.at('status')).out).toMatch(/^Warning: ALLOWED_ORIGINS is "\*": every page may call\.$/m);
    expect(JSON.parse((await world.at('status', '--json')).out ?? '')).toMatchObject({
      warnings: ['ALLOWED_ORIGINS is "*": every page may call.'],
    });
  });

  const statusOf = async () => (await world.at('status')).out ?? '';
  const WARNING = 'WARNING: the flags that were read are not the ones of this Worker';

  it('says of a missing or other folder that the flags could not be read, and no word of a ramp', async ({
    expect,
  }) => {
    for (const persistTo of [folder, path.join(folder, 'nowhere')]) {
      const { out, exitCode } = await world.at('status', '--persist-to', persistTo);
      expect(exitCode).toBe(0);
      expect(out).toMatch(
        /The flags themselves could not be read: (The Worker has its flags in|There is no local flag store at) /,
      );
      expect(out).toMatch(/legacy +\/legacy\/mcp +legacy +flag_missing +not known/);
    }
  });

  it.for([
    ['the Worker reads flags, and the store has none', 'flag', false],
    ['the store has flags, and the Worker has seen none', 'flag_missing', true],
  ] as const)('warns where %s', async ([, reason, made], { expect }) => {
    if (made) await world.at('flags', 'init', '--no-audit', '--persist-to', tmpdir());
    world.stages.legacy = { stage: 'legacy', reason };
    const out = await statusOf();
    expect(out).toContain(WARNING);
    expect(out).toMatch(new RegExp(`legacy +/legacy/mcp +legacy +${reason} +not known`));
    expect(JSON.parse((await world.at('status', '--json')).out ?? '')).toMatchObject({
      flags: null,
      isOtherStore: true,
    });
  });

  it('warns where the store stands elsewhere, and not right after a change that the Worker has yet to read', async ({
    expect,
  }) => {
    await world.at('flags', 'init');
    world.stages.legacy = { stage: 'legacy', reason: 'flag' };
    await world.at('set', 'legacy', 'shadow', ...why);
    expect(await statusOf()).not.toContain(WARNING);
    const flag = world.flags.get('legacy-route');
    if (flag !== undefined) flag.default_variation = 'gone';
    expect(await statusOf()).toContain(WARNING);
  });

  it.for([
    ['disabled', 'The flag legacy-route is disabled.'],
    ['deleted', 'The flag legacy-route is not there any more.'],
    ['of another type', 'The flag legacy-route has a value that is no stage of its route.'],
    ['out of reach', 'The flag source did not answer within 1000 ms.'],
  ] as const)(
    'says of a flag that is %s what is wrong, since when, and what holds meanwhile',
    async ([, problem], { expect }) => {
      await world.at('flags', 'init');
      world.stages.legacy = { stage: 'stateless', reason: 'flag_unreadable', trouble: { problem, since: NOW } };
      expect(await statusOf()).toContain(
        `/legacy/mcp: ${problem} (since 2026-11-30 00:00:00 UTC at the latest) Meanwhile the last good stage holds: stateless,`,
      );
    },
  );

  it('says of a flag that was never made what the route does, and how to make it', async ({ expect }) => {
    const trouble = { problem: 'The flag legacy-route was never made.', since: NOW };
    world.stages.legacy = { stage: 'legacy', reason: 'flag_missing', trouble };
    expect(await statusOf()).toContain(
      '/legacy/mcp: The flag legacy-route was never made. The route does what it does without flags: legacy. Make it: npm run flags -- init',
    );
  });
});
