/**
 * Holds the history of Durable Object classes in a wrangler configuration to the rules of migrations.ts, and to what was
 * committed before.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { CONFIGURATION_FILES } from './wrangler-configuration.ts';
import { appendOnlyProblems, problemsOf, readConfiguration, type Environment } from './migrations.ts';

const run = promisify(execFile);

export interface Checked {
  readonly problems: readonly string[];
  /** How many tags, bound classes and committed versions were looked at. */
  readonly tags: number;
  readonly bound: number;
  readonly versions: number;
}

/** @param root The folder that the file is in, or is below. Outside of a repository only the file itself is checked. */
export async function checkMigrations(file: string, root: string): Promise<Checked> {
  const text = await readFile(path.join(root, file), 'utf8').catch(() => undefined);
  if (text === undefined) return nothing(`${file} cannot be read`);
  const read = readConfiguration(text);
  if (!read.ok) return nothing(`${file} ${read.problem}`);
  const { environments } = read;
  const tags = sum(environments, ({ migrations }) => migrations.length);
  const bound = sum(environments, (environment) => environment.bound.length);
  const declared = environments.some(({ declared }) => Object.keys(declared).length > 0);
  const history = await committed(file, root);
  const norm = normOf(history);
  // A file that has lost all of it is the right one, and the worst case of a history that was edited.
  const hadTags =
    norm?.environments.some(({ migrations, declared }) => migrations.length + Object.keys(declared).length > 0) ===
    true;
  if (tags + bound === 0 && !declared && !hadTags)
    return nothing(`${file} has neither migrations nor Durable Objects: is it the right file?`);
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

/** Oldest first. A project that has changed the format of its configuration has the earlier one under the other name. */
async function committed(file: string, root: string): Promise<readonly Version[]> {
  const isUsual = CONFIGURATION_FILES.some((name) => name === path.basename(file));
  const files = isUsual ? CONFIGURATION_FILES.map((name) => path.join(path.dirname(file), name)) : [file];
  const log = await git(root, 'log', '--topo-order', '--reverse', '--format=%h', '--', ...files);
  const commits = (log ?? '').split('\n').filter((commit) => commit !== '');
  const versions = await Promise.all(
    commits.map(async (commit): Promise<readonly Version[]> => {
      // The one that the command is about, if the commit has it.
      const inOrder = [file, ...files.filter((name) => name !== file)];
      const texts = await Promise.all(inOrder.map((name) => git(root, 'show', `${commit}:./${name}`)));
      const text = texts.find((one) => one !== undefined);
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
