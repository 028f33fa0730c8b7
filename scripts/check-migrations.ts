/**
 * `node scripts/check-migrations.ts [file …]`: holds the history of Durable Object classes in wrangler configurations to
 * the rules of lib/migrations.ts, and to what was committed before. Exit code: 0 good, 1 a rule is
 * broken, 2 there was nothing to check.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { appendOnlyProblems, problemsOf, readConfiguration, type Environment } from './lib/migrations.ts';
import { PROJECT_ROOT } from './lib/wrangler.ts';

const run = promisify(execFile);

export interface Checked {
  readonly problems: readonly string[];
  /** How many tags, bound classes and committed versions were looked at. */
  readonly tags: number;
  readonly bound: number;
  readonly versions: number;
}

/** @param root The folder that the file is in, or is below. Outside of a repository only the file itself is checked. */
export async function checkMigrations(file: string, root = PROJECT_ROOT): Promise<Checked> {
  const text = await readFile(path.join(root, file), 'utf8').catch(() => undefined);
  if (text === undefined) return nothing(`${file} cannot be read`);
  const read = readConfiguration(text);
  if (!read.ok) return nothing(`${file} ${read.problem}`);
  const { environments } = read;
  const tags = sum(environments, ({ migrations }) => migrations.length);
  const bound = sum(environments, (environment) => environment.bound.length);
  const declared = environments.some(({ hasExports }) => hasExports);
  if (tags + bound === 0 && !declared)
    return nothing(`${file} has neither migrations nor Durable Objects: is it the right file?`);
  const history = await committed(file, root);
  const norm = normOf(history);
  const problems = [
    ...problemsOf(environments),
    ...(norm === undefined ? [] : appendOnlyProblems(norm.environments, environments, norm.commit)),
  ];
  return { problems: problems.map((problem) => `${file}: ${problem}`), tags, bound, versions: history.length };
}

const nothing = (problem: string): Checked => ({ problems: [problem], tags: 0, bound: 0, versions: 0 });
const sum = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((total, item) => total + of(item), 0);

interface Version {
  readonly commit: string;
  readonly environments: readonly Environment[];
}

/** The last version that kept what was before it. One that did not is a mistake, and is put right by undoing it. */
const normOf = (history: readonly Version[]): Version | undefined =>
  history.reduce<Version | undefined>(
    (norm, version) =>
      norm === undefined || appendOnlyProblems(norm.environments, version.environments, '').length === 0
        ? version
        : norm,
    undefined,
  );

/** Oldest first. */
async function committed(file: string, root: string): Promise<readonly Version[]> {
  const log = await git(root, 'log', '--topo-order', '--reverse', '--format=%h', '--', file);
  const commits = (log ?? '').split('\n').filter((commit) => commit !== '');
  const versions = await Promise.all(
    commits.map(async (commit): Promise<readonly Version[]> => {
      const text = await git(root, 'show', `${commit}:./${file}`);
      const read = text === undefined ? undefined : readConfiguration(text);
      return read?.ok === true ? [{ commit, environments: read.environments }] : [];
    }),
  );
  return versions.flat();
}

/** Undefined where there is no git, no repository, or no such file in that commit. */
async function git(cwd: string, ...args: readonly string[]): Promise<string | undefined> {
  try {
    return (await run('git', args, { cwd, maxBuffer: 16 * 1024 * 1024 })).stdout;
  } catch {
    return undefined;
  }
}

async function main(files: readonly string[]): Promise<0 | 1 | 2> {
  const checked = await Promise.all(
    (files.length === 0 ? ['wrangler.toml'] : files).map((file) => checkMigrations(file)),
  );
  for (const { problems } of checked) for (const problem of problems) console.error(problem);
  const [tags, bound, versions] = [
    sum(checked, (one) => one.tags),
    sum(checked, (one) => one.bound),
    sum(checked, (one) => one.versions),
  ];
  console.log(`${tags} tags, ${bound} bound classes, compared with ${versions} committed versions`);
  if (checked.some((one) => one.tags + one.bound === 0)) return 2;
  return checked.some(({ problems }) => problems.length > 0) ? 1 : 0;
}

if (process.argv[1] === import.meta.filename) process.exitCode = await main(process.argv.slice(2));
