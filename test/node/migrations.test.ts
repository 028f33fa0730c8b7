/** The history of Durable Object classes: the project's own, and one that is right with one deviation a test. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, it } from 'vitest';
import { checkMigrations } from '../../scripts/lib/check-migrations.ts';
import { PROJECT_ROOT } from '../../scripts/lib/wrangler.ts';

const run = promisify(execFile);

const binding = (name: string, section = 'durable_objects'): string =>
  `[[${section}.bindings]]\nname = "${name.toUpperCase()}"\nclass_name = "${name}"\n`;
const tag = (name: string, rest: string): string => `[[migrations]]\ntag = "${name}"\n${rest}\n`;

const V1 = tag('v1', 'new_sqlite_classes = ["Agent", "State"]');
const V2 = tag('v2', 'renamed_classes = [{ from = "State", to = "Store" }]');
const V3 = tag('v3', 'deleted_classes = ["Agent"]');
const GOOD = binding('Store') + V1 + V2 + V3;

let root = '';
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'hybrid-mcp-migrations-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function check(text: string) {
  await writeFile(path.join(root, 'wrangler.toml'), text);
  return checkMigrations('wrangler.toml', root);
}

async function commit(text: string): Promise<void> {
  await writeFile(path.join(root, 'wrangler.toml'), text);
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'commit.gpgsign=false', ...args], {
      cwd: root,
    });
  await git('init', '-q');
  await git('add', 'wrangler.toml');
  await git('commit', '-q', '-m', 'a version');
}

describe('the migrations of this project', () => {
  it('keep the rules, and everything that was ever committed', async ({ expect }) => {
    const { problems, tags, bound, versions } = await checkMigrations('wrangler.toml', PROJECT_ROOT);
    expect(problems).toEqual([]);
    expect(tags).toBeGreaterThan(0);
    expect(bound).toBeGreaterThan(0);
    const isRepository = await readFile(path.join(PROJECT_ROOT, '.git/HEAD')).catch(() => undefined);
    if (isRepository !== undefined) expect(versions).toBeGreaterThan(0);
  });
});

describe('a history', () => {
  it('that creates, renames and deletes in order is good', async ({ expect }) => {
    expect(await check(GOOD)).toEqual({ problems: [], tags: 3, bound: 1, versions: 0 });
  });

  it('may be declared instead', async ({ expect }) => {
    const text = `${binding('Store')}[exports.Store]\ntype = "durable-object"\nstorage = "sqlite"\n`;
    expect((await check(text)).problems).toEqual([]);
  });

  it.for<[string, string, string[]]>([
    [
      'lacks a class that is bound',
      `${binding('Other')}[exports.Store]\ntype = "durable-object"\nstorage = "sqlite"\n`,
      [
        'binds Other, which exports does not declare: add exports.Other with type "durable-object" and storage "sqlite"',
      ],
    ],
    [
      'deletes a class that is bound',
      `${binding('Store')}[exports.Store]\ntype = "durable-object"\nstate = "deleted"\n`,
      ['still binds Store, which exports says is deleted: remove the binding first'],
    ],
    [
      'has no storage',
      '[exports.Store]\ntype = "durable-object"\n',
      ['exports.Store has no storage: say "sqlite", or "legacy-kv" of a class that began with it'],
    ],
    [
      'has a state that there is not',
      '[exports.Store]\ntype = "durable-object"\nstate = "gone"\n',
      ['exports.Store has the state "gone": use one of created, expecting-transfer, deleted, renamed, transferred'],
    ],
    [
      'renames to nothing',
      '[exports.Store]\ntype = "durable-object"\nstate = "renamed"\nrenamed_to = "Shop"\n',
      ['exports.Store is renamed to Shop, which exports does not declare: declare it'],
    ],
  ])('that is declared and %s is refused', async ([, text, problems], { expect }) => {
    expect((await check(text)).problems).toEqual(problems.map((problem) => `wrangler.toml: ${problem}`));
  });

  it('of a Worker’s entrypoint under exports stands beside migrations', async ({ expect }) => {
    expect((await check(`${GOOD}[exports.Page]\ntype = "worker"\ncache = { enabled = true }\n`)).problems).toEqual([]);
  });

  it('may be inherited by an environment, or be its own', async ({ expect }) => {
    const own = `[env.test]\nmigrations = [{ tag = "t1", new_sqlite_classes = ["Other"] }]\n${binding('Other', 'env.test.durable_objects')}`;
    expect((await check(GOOD + binding('Store', 'env.production.durable_objects') + own)).problems).toEqual([]);
  });

  it('says nothing about classes of another Worker', async ({ expect }) => {
    expect((await check(`${binding('Theirs')}script_name = "other"\n${GOOD}`)).problems).toEqual([]);
  });

  it.for<[string, string, string[]]>([
    [
      'has a tag twice',
      binding('Store') + V1 + tag('v1', 'new_sqlite_classes = ["Store"]'),
      ['wrangler.toml: has the tag v1 twice: give the later migration a tag of its own'],
    ],
    [
      'deletes what no tag creates',
      binding('Store') + tag('v1', 'new_sqlite_classes = ["Store"]') + tag('v2', 'deleted_classes = ["Agent"]'),
      ['wrangler.toml: tag v2 deletes Agent, which no earlier tag creates: restore the tag that did'],
    ],
    [
      'deletes before it creates',
      binding('Store') +
        tag('v1', 'deleted_classes = ["Agent"]') +
        tag('v2', 'new_sqlite_classes = ["Agent", "Store"]'),
      ['wrangler.toml: tag v1 deletes Agent, which no earlier tag creates: restore the tag that did'],
    ],
    [
      'renames what no tag creates',
      binding('Store') + tag('v1', 'renamed_classes = [{ from = "State", to = "Store" }]'),
      ['wrangler.toml: tag v1 renames State, which no earlier tag creates: restore the tag that did'],
    ],
    [
      'creates what is there',
      binding('Store') + V1 + V2 + tag('v3', 'new_classes = ["Store"]'),
      ['wrangler.toml: tag v3 creates Store, which is there already'],
    ],
    [
      'deletes together with something else',
      binding('Store') + V1 + V2 + tag('v3', 'deleted_classes = ["Agent"]\nnew_sqlite_classes = ["Census"]'),
      ['wrangler.toml: tag v3 deletes and does more: a deletion is a tag and a deployment by itself'],
    ],
    [
      'deletes what is bound',
      binding('Agent') + GOOD,
      ['wrangler.toml: still binds Agent, which tag v3 deletes: remove the binding first'],
    ],
    [
      'deletes what an environment binds',
      GOOD + binding('Store', 'env.production.durable_objects') + binding('Agent', 'env.production.durable_objects'),
      ['wrangler.toml: env.production still binds Agent, which tag v3 deletes: remove the binding first'],
    ],
    [
      'lacks a bound class',
      binding('Store') + binding('Census') + V1 + V2,
      ['wrangler.toml: binds Census, which no tag creates: append a tag with new_sqlite_classes = ["Census"]'],
    ],
    [
      'is missing',
      binding('Store'),
      ['wrangler.toml: binds Store, which no tag creates: append a tag with new_sqlite_classes = ["Store"]'],
    ],
    [
      'stands beside a declaration',
      `${GOOD}[exports.Store]\ntype = "durable-object"\nstorage = "sqlite"\n`,
      [
        'wrangler.toml: has exports and migrations, which exclude each other: keep the migrations, their history is deployed',
      ],
    ],
    ['is in no TOML', 'name = ', ['wrangler.toml is no TOML: Invalid TOML document: invalid value']],
    ['has a tag that is no text', '[[migrations]]\ntag = 1\n', ['wrangler.toml cannot be read: migrations.0.tag']],
    [
      'is in another file',
      'name = "x"\n',
      ['wrangler.toml has neither migrations nor Durable Objects: is it the right file?'],
    ],
  ])('that %s is refused', async ([, text, problems], { expect }) => {
    expect((await check(text)).problems).toEqual(problems);
  });

  it('of a file that is not there is refused', async ({ expect }) => {
    expect(await checkMigrations('wrangler.toml', root)).toEqual({
      problems: ['wrangler.toml cannot be read'],
      tags: 0,
      bound: 0,
      versions: 0,
    });
  });
});

describe('against what was committed', () => {
  it('a tag may be appended', async ({ expect }) => {
    await commit(binding('State') + V1);
    await commit(binding('Store') + V1 + V2);
    expect(await check(GOOD)).toEqual({ problems: [], tags: 3, bound: 1, versions: 2 });
  });

  it.for<[string, string, string]>([
    ['edited', binding('State') + tag('v1', 'new_sqlite_classes = ["Agent", "State", "Census"]'), 'tag v1 was edited'],
    [
      'removed',
      `${binding('State')}${tag('v1', 'new_sqlite_classes = ["State"]').replaceAll('v1', 'v9')}`,
      'tag v1 has moved',
    ],
    ['moved', binding('State') + tag('v0', '') + V1, 'tag v1 has moved'],
    ['dropped with its block', binding('State'), 'tag v1 is gone'],
  ])('no tag may be %s, committed or not', async ([, text, what], { expect }) => {
    await commit(binding('State') + V1);
    const told = [expect.stringMatching(new RegExp(`^wrangler.toml: ${what} since [0-9a-f]+: put it back`))];
    const mine = ({ problems }: { problems: readonly string[] }) => problems.filter((one) => one.includes('since'));
    expect(mine(await check(text))).toEqual(told);
    await commit(text);
    expect(mine(await check(text))).toEqual(told);
  });

  it.for([
    ['bindings and migrations together', 'name = "x"\n'],
    ['all that the file has', ''],
    ['the bindings of everything else too', `name = "x"\n[vars]\nLOG_LEVEL = "info"\n`],
    ['the migrations, for a declaration', '[exports.Store]\ntype = "durable-object"\nstorage = "sqlite"\n'],
    [
      'the migrations, for those of an environment',
      `[env.test]\nmigrations = [{ tag = "t1", new_sqlite_classes = ["Store"] }]\n`,
    ],
  ] as const)('every tag that is missing is named where somebody removed %s', async ([, text], { expect }) => {
    await commit(GOOD);
    const gone = (tag: string) =>
      expect.stringMatching(new RegExp(`^wrangler.toml: tag ${tag} is gone since [0-9a-f]+: put it back`));
    for (const isCommitted of [false, true]) {
      if (isCommitted) await commit(text);
      const { problems, versions } = await check(text);
      expect(problems.filter((one) => one.includes('since'))).toEqual([gone('v1'), gone('v2'), gone('v3')]);
      expect(versions).toBe(isCommitted ? 2 : 1);
    }
  });

  const LIVE = '[exports.Store]\ntype = "durable-object"\nstorage = "sqlite"\n';

  it.for<[string, string, string]>([
    ['removed', '[exports.Page]\ntype = "worker"\n', 'exports.Store is gone since'],
    ['given another storage', LIVE.replace('sqlite', 'legacy-kv'), 'exports.Store had the storage sqlite at'],
  ])('no class that was declared may be %s', async ([, text, what], { expect }) => {
    await commit(LIVE);
    const { problems } = await check(text);
    expect(problems).toEqual([expect.stringContaining(`wrangler.toml: ${what}`)]);
  });

  it('a class that was declared may be deleted by its state', async ({ expect }) => {
    await commit(LIVE);
    const { problems, versions } = await check(LIVE.replace('storage = "sqlite"', 'state = "deleted"'));
    expect({ problems, versions }).toEqual({ problems: [], versions: 1 });
  });

  it('a configuration that has changed its format is compared with the earlier one', async ({ expect }) => {
    await commit(GOOD);
    await rm(path.join(root, 'wrangler.toml'));
    await writeFile(
      path.join(root, 'wrangler.jsonc'),
      '{ "migrations": [{ "tag": "v1", "new_sqlite_classes": ["MyMCP"] }] }',
    );
    const { problems, versions } = await checkMigrations('wrangler.jsonc', root);
    expect(versions).toBe(1);
    expect(problems).toEqual([
      expect.stringMatching(/^wrangler.jsonc: tag v1 was edited since/),
      expect.stringMatching(/^wrangler.jsonc: tag v2 is gone since/),
      expect.stringMatching(/^wrangler.jsonc: tag v3 is gone since/),
    ]);
  });

  it('the command ends with 1 where tags are missing, and with 2 where there never were any', async ({ expect }) => {
    const script = path.join(PROJECT_ROOT, 'scripts/check-migrations.ts');
    const ended = () =>
      run(process.execPath, [script, path.join(root, 'wrangler.toml')]).then(
        () => 0,
        (failure: unknown) => {
          const { code, stderr } = failure as { code: number; stderr: string };
          return `${code} ${/tag v\d/.exec(stderr)?.[0]}`;
        },
      );
    await commit('name = "x"\n');
    expect(await ended()).toBe('2 undefined');
    await commit(GOOD);
    await writeFile(path.join(root, 'wrangler.toml'), 'name = "x"\n');
    expect(await ended()).toBe('1 tag v1');
  });

  it('an edit that was committed is put right by undoing it', async ({ expect }) => {
    await commit(binding('State') + V1);
    await commit(binding('State') + tag('v1', 'new_sqlite_classes = ["Agent", "State", "Census"]'));
    const census = binding('Census') + tag('v2', 'new_sqlite_classes = ["Census"]');
    expect(await check(binding('State') + V1 + census)).toMatchObject({ problems: [], versions: 2 });
  });
});
