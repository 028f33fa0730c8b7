/** The command against a real operator's API on a port of its own, with the flags in memory in place of wrangler's store. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'vitest';
import { createAdminApi } from '../../../cli/cutover/api.ts';
import { cutover, type Printed } from '../../../cli/cutover/command.ts';
import type { RunWrangler } from '../../../cli/cutover/run-wrangler.ts';
import { NOW, TOKEN } from './admin-support.ts';
import { client, cliWorld, type CliWorld, type Flag } from './cli-support.ts';

let world: CliWorld;
let url = '';
let flags: Map<string, Flag>;
let run: RunWrangler;

beforeEach(async () => {
  world = await cliWorld();
  ({ url, flags, run } = world);
});
afterEach(() => world.close());

/** Where nobody listens any more. */
async function closedPort(): Promise<string> {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const address = other.address();
  await new Promise((resolve) => other.close(resolve));
  return typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : '';
}

const at = (...args: string[]): Promise<Printed> => world.at(...args);
const why = ['--why', 'a test', '--who', 'jane'];
const early = ['--early', 'a test has no days', '--why', 'a test', '--who', 'jane'];

describe('flags', () => {
  it('are made once, with the stages that there were', async ({ expect }) => {
    const first = await at('flags', 'init', '--json');
    expect(first.exitCode).toBe(0);
    expect(
      [...flags.values()].map(({ key, default_variation, variations }) => [
        key,
        default_variation,
        Object.keys(variations),
      ]),
    ).toEqual([
      ['legacy-route', 'legacy', ['legacy', 'shadow', 'stateless', 'gone']],
      ['legacy-sse-route', 'legacy', ['legacy', 'gone']],
      ['mcp-route', 'stateless', ['stateless', 'drain', 'legacy', 'off']],
    ]);
    world.ran.length = 0;
    expect((await at('flags', 'init')).out).toContain('was there');
    expect(world.ran).toHaveLength(1);
    expect(world.log.map(({ action }) => action)).toEqual(['flag_init', 'flag_init', 'flag_init']);
  });

  it('are asked for by whoever changes one that is not there', async ({ expect }) => {
    const { exitCode, error } = await at('set', 'legacy', 'stateless', ...why);
    expect({ exitCode, error }).toEqual({
      exitCode: 2,
      error: expect.stringMatching(
        /^There is no flag legacy-route in the local flag store .*\.\nCreate the flags: npm run flags -- init$/,
      ),
    });
  });
});

describe('set and ramp', () => {
  beforeEach(async () => void (await at('flags', 'init')));

  it('write default and rules at once, after a word in the log', async ({ expect }) => {
    expect((await at('ramp', 'legacy', 'stateless', '5', ...why)).exitCode).toBe(0);
    expect(flags.get('legacy-route')?.rules).toEqual([
      {
        priority: 1,
        conditions: [{ attribute: 'targetingKey', operator: 'not_equals', value: '' }],
        serve_variation: 'stateless',
        rollout: { percentage: 5, attribute: 'targetingKey' },
      },
    ]);
    expect((await at('set', 'legacy', 'stateless', ...early)).exitCode).toBe(0);
    expect(flags.get('legacy-route')).toMatchObject({ default_variation: 'stateless', rules: [] });
    const base = { who: 'admin token', said: 'jane', why: 'a test', at: NOW };
    const rule = {
      conditions: [{ attribute: 'targetingKey', operator: 'not_equals', value: '' }],
      serve_variation: 'stateless',
      rollout: { percentage: 5, attribute: 'targetingKey' },
    };
    const whose = { route: 'legacy', flag: 'legacy-route', whose: 'everybody', to: 'stateless' };
    expect(world.log.slice(0, 2)).toEqual([
      {
        ...base,
        action: 'flag_set',
        detail: {
          ...whose,
          before: { default_variation: 'legacy', rules: [rule] },
          after: { default_variation: 'stateless', rules: [] },
          early: 'a test has no days',
        },
      },
      {
        ...base,
        action: 'flag_ramp',
        detail: {
          ...whose,
          percent: 5,
          by: 'targetingKey',
          before: { default_variation: 'legacy', rules: [] },
          after: { default_variation: 'legacy', rules: [rule] },
        },
      },
    ]);
  });

  it('give a cohort a stage of its own, and take it away', async ({ expect }) => {
    await at('set', 'legacy', 'stateless', '--client', 'desktop/1.*', ...why);
    expect(flags.get('legacy-route')?.rules.map(({ serve_variation }) => serve_variation)).toEqual(['stateless']);
    const { out } = await at('set', 'legacy', 'shadow', ...why);
    expect(out).toContain('cohorts keep a stage of their own: client desktop/1.* → stateless');
    await at('unset', 'legacy', '--client', 'desktop/1.*', ...why);
    expect(flags.get('legacy-route')?.rules).toEqual([]);
  });

  it('warn of a step back', async ({ expect }) => {
    await at('ramp', 'legacy', 'stateless', '50', ...early);
    expect((await at('ramp', 'legacy', 'stateless', '20', ...why)).out).toContain(
      'lowering from 50 % to 20 % moves new sessions back',
    );
    await at('set', 'legacy', 'stateless', ...early);
    expect((await at('set', 'legacy', 'legacy', ...why)).out).toContain('from stateless to legacy is a step back');
  });

  it.for([
    ['legacy', ['shadow', 'stateless', 'gone', 'stateless', 'shadow', 'legacy'], ['stateless', 'shadow', 'legacy']],
    ['sse', ['gone', 'legacy'], ['legacy']],
    ['mcp', ['legacy', 'stateless', 'off', 'legacy', 'off', 'stateless'], ['legacy', 'off', 'off']],
  ] as const)('know on %s which way is back', async ([route, way, back], { expect }) => {
    const noted: string[] = [];
    for (const stage of way) {
      const { out = '' } = await at('set', route, stage, ...early);
      if (out.includes(`to ${stage} is a step back`)) noted.push(stage);
    }
    expect(noted).toEqual(back);
  });

  it('change and log nothing in a dry run', async ({ expect }) => {
    world.log.length = 0;
    const before = JSON.stringify([...flags]);
    const { exitCode, out } = await at('ramp', 'legacy', 'stateless', '5', '--dry-run', '--json');
    expect({ exitCode, out: JSON.parse(out ?? '') }).toMatchObject({
      exitCode: 0,
      out: {
        dryRun: true,
        changed: false,
        before: { default_variation: 'legacy', rules: [] },
        after: { rules: [{ serve_variation: 'stateless' }] },
      },
    });
    expect({ flags: JSON.stringify([...flags]), log: world.log }).toEqual({ flags: before, log: [] });
  });

  it.for<[string, string[], 1 | 2, string]>([
    ['an unknown route', ['set', 'sss', 'gone'], 2, 'There is no route "sss".\nUse one of legacy, sse, mcp'],
    [
      'an unknown stage',
      ['set', 'legacy', 'off'],
      2,
      'The route legacy has no stage "off".\nUse one of legacy, shadow, stateless, gone.',
    ],
    ['more than all', ['ramp', 'legacy', 'stateless', '101'], 2, '"101" is no percentage'],
    ['less than none', ['ramp', 'legacy', 'stateless', '5%'], 2, '"5%" is no percentage'],
    ['a finer share than there is', ['ramp', 'legacy', 'stateless', '0.001'], 2, '"0.001" is no percentage'],
    ['the stage of everybody', ['ramp', 'legacy', 'legacy', '5'], 1, 'Everybody is at stage legacy already'],
    ['a share of SSE', ['ramp', 'sse', 'gone', '5'], 2, '/legacy/sse is served or gone as a whole'],
    ['a cohort of SSE', ['set', 'sse', 'gone', '--client', 'desktop'], 2, '/legacy/sse is served or gone as a whole'],
    [
      'an unseen cohort',
      ['set', 'legacy', 'stateless', '--client', 'desk'],
      1,
      'The census has never seen client desk.\nIt knows desktop/1.0.',
    ],
    ['an unknown cohort', ['unset', 'legacy', '--client', 'desk'], 1, 'The flag has no rule for client desk'],
    ['an empty cohort', ['set', 'legacy', 'stateless', '--client', ''], 2, '--client "" names no client'],
    ['two stores', ['set', 'legacy', 'stateless', '--local', '--remote'], 2, '--local and --remote exclude each other'],
    ['no configuration', ['set', 'legacy', 'stateless', '--config', 'nothing.toml'], 2, 'nothing.toml cannot be read'],
    [
      'no such environment',
      ['set', 'legacy', 'stateless', '--env', 'nothing'],
      2,
      'wrangler.toml has no environment nothing',
    ],
    ['a share that is answered 410', ['ramp', 'legacy', 'gone', '10'], 1, 'gone is a stage of a whole route'],
    [
      'the same in a dry run',
      ['ramp', 'legacy', 'gone', '10', '--dry-run'],
      1,
      'gone is a stage of a whole route, and not for a share or for some clients.\nUse set legacy gone.',
    ],
    ['a share that is switched off', ['ramp', 'mcp', 'off', '10', '--dry-run'], 1, 'off is a stage of a whole route'],
    ['a cohort that is gone', ['set', 'legacy', 'gone', '--client', 'desktop'], 1, 'gone is a stage of a whole route'],
    [
      'a share of a cohort that is gone',
      ['ramp', 'legacy', 'gone', '10', '--client', 'desktop'],
      1,
      'gone is a stage of a whole route',
    ],
  ])('refuse %s', async ([, args, exitCode, error], { expect }) => {
    world.log.length = 0;
    const before = JSON.stringify([...flags]);
    const printed = await at(...args, ...why);
    expect(printed.error).toContain(error);
    expect({ exitCode: printed.exitCode, flags: JSON.stringify([...flags]), log: world.log }).toEqual({
      exitCode,
      flags: before,
      log: [],
    });
  });

  it('need a reason, or a dry run', async ({ expect }) => {
    expect(await at('set', 'legacy', 'shadow')).toEqual({
      exitCode: 2,
      error: 'A change needs a reason.\nSay it with --why "…"; it goes to the audit log. Or look first with --dry-run.',
    });
  });

  it('change nothing where the log cannot be written, unless told to', async ({ expect }) => {
    const closed = await closedPort();
    const args = ['set', 'legacy', 'shadow', ...why, '--url', closed, '--persist-to', tmpdir()];
    const offline = (...more: string[]) => cutover([...args, ...more], { env: { ADMIN_TOKEN: TOKEN }, run });
    expect((await offline()).error).toContain('cannot be reached: ECONNREFUSED.\nStart the Worker (npm start)');
    expect(flags.get('legacy-route')?.default_variation).toBe('legacy');
    expect((await offline('--no-audit')).exitCode).toBe(0);
    expect(flags.get('legacy-route')?.default_variation).toBe('shadow');
  });

  it('say which variables to change where those are the source', async ({ expect }) => {
    Object.assign(world.env, { FLAGS: undefined });
    expect((await at('set', 'legacy', 'shadow', ...why)).error).toContain('LEGACY_ROUTE_STAGE');
  });
});

describe('sessions', () => {
  beforeEach(() => {
    for (let id = 0; id < 120; id += 1) world.sessions.set(`secret-id-${id}`, 'live');
  });
  const drained = (): number => [...world.sessions.values()].filter((standing) => standing === 'drained').length;

  it('are drained to the last, as many requests as that takes', async ({ expect }) => {
    expect(await at('drain', '--all', ...why)).toEqual({ exitCode: 0, out: '120 of 120 sessions were drained.' });
    expect([drained(), world.log.length]).toEqual([120, 6]);
    expect(await at('take-back', '--client', 'desktop', ...why)).toEqual({
      exitCode: 0,
      out: '120 of 120 sessions were taken back.',
    });
    expect(drained()).toBe(0);
  });

  it('are drained up to a limit', async ({ expect }) => {
    expect((await at('drain', '--all', '--limit', '70', ...why)).out).toBe(
      '70 of 120 sessions were drained.\n50 are left.',
    );
    expect(drained()).toBe(70);
  });

  it('are counted in a dry run', async ({ expect }) => {
    expect((await at('drain', '--all', '--dry-run')).out).toBe('120 sessions would be drained. Nothing was changed.');
    expect(drained()).toBe(0);
  });

  it('are all tried, whatever the oldest do, and each failure is counted once', async ({ expect }) => {
    for (let id = 0; id < 55; id += 1) world.broken.add(`secret-id-${id}`);
    expect(await at('drain', '--all', ...why)).toEqual({
      exitCode: 2,
      out: "65 of 120 sessions were drained.\n55 could not be moved: see the Worker's log, and try again.\n55 are left.",
    });
    expect(drained()).toBe(65);
    expect(world.reports).toHaveLength(55);
    world.broken.clear();
    expect(await at('drain', '--all', ...why)).toEqual({ exitCode: 0, out: '55 of 55 sessions were drained.' });
  });

  it('that fail are part of a limit', async ({ expect }) => {
    for (let id = 0; id < 55; id += 1) world.broken.add(`secret-id-${id}`);
    const { out } = await at('drain', '--all', '--limit', '70', ...why);
    expect(out).toMatch(/^15 of 120 sessions were drained\.\n55 could not be moved: .*\n105 are left\.$/);
  });

  it('fail loudly, and not for ever', async ({ expect }) => {
    for (const id of world.sessions.keys()) world.broken.add(id);
    const { exitCode, out } = await at('drain', '--all', ...why);
    expect({ exitCode, out }).toEqual({
      exitCode: 2,
      out: "0 of 120 sessions were drained.\n120 could not be moved: see the Worker's log, and try again.\n120 are left.",
    });
  });

  it('all move, and the command ends, where the census cannot be told', async ({ expect }) => {
    world.censusFails = true;
    expect(await at('drain', '--all', ...why)).toEqual({
      exitCode: 2,
      out: "0 of 120 sessions were drained.\n120 could not be moved: see the Worker's log, and try again.\n120 are left.",
    });
    expect(drained()).toBe(120);
    world.censusFails = false;
  });

  it('are named on standard input, one at a time', async ({ expect }) => {
    expect((await at('drain', '--session', ...why)).out).toBe('1 of 1 sessions were drained.');
    expect(drained()).toBe(1);
  });

  it.for([
    [[], 'Say whose sessions'],
    [['--all', '--client', 'desktop'], 'Say whose sessions'],
    [['--client', 'desk'], 'The census has no client "desk".\nUse a name as the census has it: desktop.'],
    [['--client', 'desktop/1.*'], 'names many versions'],
    [['--all', '--limit', '0'], '--limit "0" is no whole number above 0'],
    [['--all', '--older-than', 'x'], '--older-than "x" is no whole number above 0'],
  ] as const)('%o is refused', async ([args, error], { expect }) => {
    const printed = await at('drain', ...args, ...why);
    expect(printed.exitCode).toBeGreaterThan(0);
    expect(printed.error).toContain(error);
    expect(drained()).toBe(0);
  });
});

describe('the census', () => {
  it('says in one line who came once, and why somebody was refused', async ({ expect }) => {
    const refused = {
      route: '/legacy/mcp',
      lane: 'none',
      calls: 3,
      lastSeenAt: NOW,
      reasons: { no_session: 1, other: 2 },
    };
    const nobody = { ...client('unknown', ''), calls: 3, lanes: [refused], openSessions: 4 };
    const who = { ...nobody, verdict: 'unproven' as const };
    world.census = {
      ...world.census,
      clients: [who, ...Array.from({ length: 30 }, (_, index) => client(`once-${index}`))],
      unlisted: { clients: 5, calls: 5 },
    };
    const lines = (await at('census')).out?.split('\n') ?? [];
    expect(lines).toHaveLength(15);
    expect(lines[2]).toBe(
      'unknown     2025  /legacy/mcp refused 3 (other, no_session)  4     2026-11-30 00:00:00 UTC  unproven',
    );
    expect(lines.slice(-2)).toEqual([
      '20 more clients with one call, 5 more that are not listed. Forget those with one call: npm run cutover -- census forget --once --why "…"',
      'unproven: it was only refused, or only began something, or goes without a session where there has to be one.',
    ]);
  });

  it('forgets, after a look', async ({ expect }) => {
    world.census = { ...world.census, clients: [client('evil-1'), client('evil-2'), client('desktop')] };
    expect((await at('census', 'forget', '--client', 'evil-*', '--once', '--dry-run')).out).toBe(
      '2 clients with 2 calls would be forgotten. Nothing was changed.\nevil-1/1.0, evil-2/1.0',
    );
    expect([world.census.clients.length, world.log]).toEqual([3, []]);
    expect(await at('census', 'forget', '--client', 'evil-*/1.*', '--at-most', '3', ...why)).toEqual({
      exitCode: 0,
      out: '2 clients with 2 calls were forgotten.\nevil-1/1.0, evil-2/1.0',
    });
    expect(world.census.clients.map(({ name }) => name)).toEqual(['desktop']);
    expect(world.log.map(({ action, said }) => [action, said])).toEqual([['census_forget', 'jane']]);
  });

  it.for<[string, string[], string]>([
    ['nobody', ['--why', 'x'], 'Say which clients'],
    ['two numbers', ['--once', '--at-most', '3', '--why', 'x'], '--once and --at-most exclude each other'],
    ['no number', ['--at-most', 'x', '--why', 'x'], '--at-most "x" is no whole number above 0'],
    ['no reason', ['--once'], 'A change needs a reason'],
  ])('forgets nothing with %s', async ([, args, error], { expect }) => {
    expect((await at('census', 'forget', ...args)).error).toContain(error);
    expect(world.log).toEqual([]);
  });
});

describe('the brake', () => {
  it('goes on and off, and the log says who', async ({ expect }) => {
    expect((await at('brake', '--why', 'errors', '--who', 'jane', '--dry-run')).out).toBe(
      'The brake is off, and would be on. Nothing was changed.',
    );
    expect((await at('brake', '--why', 'errors', '--who', 'jane')).out).toMatch(/^The brake is on\./);
    expect((await at('status')).out).toContain(
      'Brake: ON since 2026-11-30 00:00:00 UTC, by jane (admin token): errors',
    );
    expect((await at('release', '--why', 'mended')).out).toMatch(/^The brake is off\./);
    const { out } = await at('audit');
    expect(
      out
        ?.split('\n')
        .slice(2)
        .map((line) => line.split(/ {2,}/)[2]),
    ).toEqual(['release', 'brake']);
  });

  it('is on at once without a reason, and asks for it afterwards', async ({ expect }) => {
    const { exitCode, out } = await at('brake', '--who', 'jane');
    expect(exitCode).toBe(0);
    expect(out).toContain('The brake is on. ');
    expect(out).toContain('Say why, for whoever comes next: npm run cutover -- brake --why "…"');
    expect((await at('status')).out).toContain('by jane (admin token): no reason was given');
    expect((await at('brake', '--who', 'jane', '--why', 'errors')).exitCode).toBe(0);
    expect((await at('status')).out).toMatch(/^Brake: ON since .* UTC, by jane \(admin token\): errors$/m);
    expect((await at('status')).out).not.toContain('again');
  });

  it('is on before the question is asked where somebody sits at a terminal', async ({ expect }) => {
    const asked: string[] = [];
    const ask = async (question: string): Promise<string> => {
      asked.push(`${question}${world.log[0]?.action}`);
      return ' errors ';
    };
    const { out } = await world.with({ ask }, 'brake', '--who', 'jane');
    expect(asked).toEqual(['The brake is on. Why? brake']);
    expect(out).not.toContain('Say why');
    expect((await at('status')).out).toContain('by jane (admin token): errors');
    await world.with({ ask }, 'brake', '--who', 'jane', '--why', 'given');
    expect(asked).toHaveLength(1);
  });

  it('keeps both who brake, and says so to each', async ({ expect }) => {
    await at('brake', '--who', 'ann', '--why', 'errors');
    expect((await at('brake', '--who', 'bob', '--why', 'complaints')).out).toMatch(
      /by ann \(admin token\): errors\n {2}again .*, by bob \(admin token\): complaints/,
    );
    expect((await at('status')).out).toMatch(
      /by ann \(admin token\): errors\n {2}again .*, by bob \(admin token\): complaints/,
    );
    await at('release', '--why', 'mended', '--who', 'ann');
    expect((await at('status')).out).toContain('Brake: off');
  });

  it('says that it can do nothing where there is no legacy lane, and can be released there', async ({ expect }) => {
    Object.assign(world.env, { LEGACY_AGENT: undefined });
    for (const dry of [[], ['--dry-run']]) {
      const { exitCode, error } = await at('brake', '--why', 'errors', ...dry);
      expect({ exitCode, error }).toEqual({
        exitCode: 1,
        error: expect.stringContaining('The brake can do nothing here'),
      });
    }
    expect(world.log).toEqual([]);
    expect((await at('release', '--why', 'it was on before')).exitCode).toBe(0);
  });

  it('says which routes it does nothing for', async ({ expect }) => {
    world.stages.legacy = { stage: 'gone', reason: 'flag' };
    world.stages.mcp = { stage: 'off', reason: 'flag' };
    const { out } = await at('brake', '--why', 'errors');
    expect(out?.split('\n').slice(1)).toEqual([
      'It does nothing for /legacy/mcp, which is at gone: npm run cutover -- set legacy …',
      'It does nothing for /mcp, which is at off: npm run cutover -- set mcp …',
    ]);
  });
});

describe('the log', () => {
  it('has a flag before and after, in words and in JSON', async ({ expect }) => {
    await at('flags', 'init', ...why);
    await at('set', 'legacy', 'stateless', '--client', 'desktop', ...why);
    await at('ramp', 'legacy', 'stateless', '5', ...why);
    await at('ramp', 'legacy', 'stateless', '10', ...early);
    const { out } = await at('audit');
    const cohort = 'client desktop → stateless';
    expect(out).toContain(
      `legacy-route: was legacy; 5 % of new sessions stateless; ${cohort}, is legacy; 10 % of new sessions stateless; ${cohort}`,
    );
    expect(out).toContain('legacy-route: was none, is legacy');
    expect(out).toContain('jane (admin token)');
    const { entries } = JSON.parse((await at('audit', '--json')).out ?? '{}');
    const percentages = (state: { rules: { rollout?: { percentage: number } }[] }): (number | undefined)[] =>
      state.rules.map(({ rollout }) => rollout?.percentage);
    expect([percentages(entries[0].detail.before), percentages(entries[0].detail.after)]).toEqual([
      [undefined, 5],
      [undefined, 10],
    ]);
  });
});

describe('what is asked', () => {
  it('is answered in a table, or in JSON', async ({ expect }) => {
    await at('flags', 'init');
    await at('ramp', 'legacy', 'stateless', '5', ...why);
    expect((await at('status')).out).toBe(
      [
        `desk 1.2.3 at ${url}, stages from flags`,
        '',
        'route   path         stage      reason  new sessions   cohorts',
        '------  -----------  ---------  ------  -------------  -------',
        'legacy  /legacy/mcp  legacy     flag    5 % stateless',
        'sse     /legacy/sse  legacy     flag',
        'mcp     /mcp         stateless  flag',
        '',
        'Brake: off',
        '1 clients known, 0 of them blocked',
        'Legacy sessions: 0 open, 0 open over SSE, 0 drained',
        'Last call on the legacy lane: never',
      ].join('\n'),
    );
    expect(JSON.parse((await at('status', '--json')).out ?? '')).toMatchObject({
      exitCode: 0,
      source: 'flagship',
      flags: {
        'legacy-route': { stage: 'legacy', ramp: { stage: 'stateless', percent: 5, by: 'targetingKey' }, cohorts: [] },
      },
    });
    expect((await at('census')).out?.split('\n').at(-1)).toBe(
      'desktop/1.0  2025  /legacy/mcp legacy 1     0     2026-11-30 00:00:00 UTC  ready',
    );
  });

  it('has nothing in it that acts on a terminal, whatever a client calls itself', async ({ expect }) => {
    const name = 'a\u001B[2J\u009B31m\u202Eb';
    world.census = { ...world.census, clients: [client(name)] };
    const [text, json] = [(await at('census')).out ?? '', (await at('census', '--json')).out ?? ''];
    expect(text).toContain('a[2J31mb/1.0');
    for (const printed of [text, json]) expect(printed.replaceAll('\n', '')).not.toMatch(/\p{C}/u);
    expect(JSON.parse(json).clients).toMatchObject([{ name }]);
  });

  it('says no more of a strange answer than a line', async ({ expect }) => {
    const hostile = createServer((_incoming, outgoing) => {
      outgoing
        .writeHead(400)
        .end(JSON.stringify({ error: { code: 'x', message: `a\u001B[2J\nb${'c'.repeat(2_000)}` } }));
    });
    await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve));
    const address = hostile.address() as AddressInfo;
    const asked = createAdminApi(`http://127.0.0.1:${address.port}`, TOKEN).get('/status');
    await expect(asked).rejects.toMatchObject({ message: `a[2Jb${'c'.repeat(995)}` });
    await new Promise((resolve) => hostile.close(resolve));
  });

  it.for<[string, Record<string, string>, string]>([
    ['no token', {}, 'ADMIN_TOKEN is not set'],
    ['a wrong token', { ADMIN_TOKEN: `${TOKEN}x` }, 'The Worker does not take this ADMIN_TOKEN'],
    ['a token with a line end', { ADMIN_TOKEN: `${TOKEN}\n` }, 'ADMIN_TOKEN has blanks or signs that cannot be sent'],
  ])('is refused with %s', async ([, env, error], { expect }) => {
    const printed = await cutover(['status', '--url', url], { env, run });
    expect(printed.exitCode).toBe(2);
    expect(printed.error).toContain(error);
    expect(JSON.stringify(printed)).not.toContain(TOKEN);
  });

  it('needs a Worker that has the API', async ({ expect }) => {
    Object.assign(world.env, { ADMIN_TOKEN: '' });
    expect((await at('status')).error).toContain("The Worker has no operator's API");
  });

  it('needs a Worker that has the path', async ({ expect }) => {
    await expect(createAdminApi(url, TOKEN).get('/later')).rejects.toMatchObject({
      exitCode: 2,
      message: "The Worker's operator's API does not have what this command asks for",
      remedy: 'Use the command of the version that is deployed.',
    });
  });

  it.for([
    ['ftp://x', 'is not a web address'],
    ['x', 'is not a web address'],
    ['localhost:18711', 'Use --url http://localhost:18711'],
    ['127.0.0.1:8787/', 'Use --url http://127.0.0.1:8787/'],
    ['worker.example', 'Use --url https://worker.example'],
    ['http://worker.example', 'would send the token unencrypted'],
  ] as const)('is not sent to %s', async ([address, error], { expect }) => {
    const printed = await cutover(['status', '--url', address], { env: { ADMIN_TOKEN: TOKEN }, run });
    expect(printed).toEqual({ exitCode: 2, error: expect.stringContaining(error) });
  });

  it('in JSON fails in JSON', async ({ expect }) => {
    const { exitCode, out } = await cutover(['status', '--url', 'x', '--json'], { env: {}, run });
    expect({ exitCode, out: JSON.parse(out ?? '') }).toEqual({
      exitCode: 2,
      out: {
        error: {
          message: '--url "x" is not a web address',
          remedy: 'Use for example --url https://worker.example.workers.dev',
        },
        exitCode: 2,
      },
    });
  });

  it.for([['--help'], ['ramp', '--help'], ['flags', 'init', '--help']])(
    '%o explains itself',
    async (args, { expect }) => {
      const { exitCode, out } = await cutover(args, { env: {}, run });
      expect({ exitCode, usage: out?.startsWith('Usage: cutover') }).toEqual({ exitCode: 0, usage: true });
    },
  );

  it.for([[[]], [['ramps']], [['ramp', 'legacy']], [['status', '--tokens']]] as const)(
    '%o is no command',
    async ([args], { expect }) => {
      const { exitCode, error } = await cutover(args, { env: {}, run });
      expect(exitCode).toBe(2);
      expect(error).not.toBe('');
    },
  );
});

const CONFIGURATION = `
[[durable_objects.bindings]]
name = "LEGACY_AGENT"
class_name = "LegacyAgent"
[[flagship]]
binding = "FLAGS"
app_id = "an-app"
[[migrations]]
tag = "v1"
new_sqlite_classes = ["LegacyAgent"]
`;

describe('retire-check', () => {
  let folder = '';
  const check = (...args: string[]) => at('retire-check', '--config', path.join(folder, 'wrangler.toml'), ...args);
  afterEach(() => rm(folder, { recursive: true, force: true }));
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'hybrid-mcp-retire-'));
    await writeFile(path.join(folder, 'wrangler.toml'), CONFIGURATION);
    await at('flags', 'init');
    Object.assign(world.stages, { legacy: { stage: 'gone', reason: 'flag' }, sse: { stage: 'gone', reason: 'flag' } });
  });

  it('refuses while anything speaks against it, with the evidence and no steps', async ({ expect }) => {
    world.census = { ...world.census, openSessions: { ...world.census.openSessions, legacy: 3 } };
    const { exitCode, out } = await check();
    expect(exitCode).toBe(1);
    expect(out).toContain('NO  legacy sessions: 3 open');
    expect(out).toContain('The legacy half must stay.');
    expect(out).not.toContain('deleted_classes');
  });

  it('refuses while a rule keeps some clients elsewhere', async ({ expect }) => {
    await at('set', 'legacy', 'gone', ...early);
    await at('set', 'legacy', 'legacy', '--client', 'desktop', ...why);
    const { exitCode, out } = await check('--json');
    const { ready, steps, checks } = JSON.parse(out ?? '');
    expect({ exitCode, ready, steps }).toEqual({ exitCode: 1, ready: false, steps: [] });
    expect(checks.filter(({ ok }: { ok: boolean }) => !ok)).toMatchObject([{ check: 'flag_rules' }]);
  });

  it('says the last steps when nothing does', async ({ expect }) => {
    await at('set', 'legacy', 'gone', ...early);
    const { exitCode, out } = await check();
    expect(out).not.toContain('NO  ');
    expect(exitCode).toBe(0);
    expect(out).toMatch(/\[\[migrations\]\]\n {3}tag = "v2"\n {3}deleted_classes = \["LegacyAgent"\]/);
    expect(out).toContain('npx wrangler deploy\n');
    expect(out).toContain('npx wrangler flagship flags delete an-app legacy-route legacy-sse-route');
  });

  it('refuses while the migrations break a rule', async ({ expect }) => {
    await at('set', 'legacy', 'gone', ...early);
    await writeFile(path.join(folder, 'wrangler.toml'), CONFIGURATION.replace('["LegacyAgent"]', '[]'));
    const { exitCode, out } = await check();
    expect(exitCode).toBe(1);
    expect(out).toContain('NO  wrangler.toml: binds LegacyAgent, which no tag creates');
  });
});
