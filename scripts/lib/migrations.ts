/**
 * The rules for the history of Durable Object classes in a wrangler configuration. Breaking one is found by the platform
 * at a deployment, by wrangler later still, or by nobody until data is gone. Pure: text in, problems out.
 */
import * as v from 'valibot';
import { declarationProblems, declaredIn, Exports, keptProblems, type DeclaredClasses } from './declared-classes.ts';
import { ConfigurationSyntaxError, parseConfiguration } from './wrangler-configuration.ts';

const Names = v.optional(v.array(v.string()), []);

const Migration = v.looseObject({
  tag: v.string(),
  new_classes: Names,
  new_sqlite_classes: Names,
  deleted_classes: Names,
  renamed_classes: v.optional(v.array(v.looseObject({ from: v.string(), to: v.string() })), []),
  transferred_classes: v.optional(v.array(v.looseObject({ to: v.string() })), []),
});
export type Migration = v.InferOutput<typeof Migration>;

const Section = {
  durable_objects: v.optional(
    v.looseObject({
      bindings: v.optional(v.array(v.looseObject({ class_name: v.string(), script_name: v.optional(v.string()) })), []),
    }),
  ),
  migrations: v.optional(v.array(Migration)),
  exports: v.optional(Exports),
};
const Configuration = v.looseObject({ ...Section, env: v.optional(v.record(v.string(), v.looseObject(Section)), {}) });

/** One deployment: the top of the file, or one of its environments. */
export interface Environment {
  readonly name: string;
  readonly migrations: readonly Migration[];
  /** Of this Worker's own classes. */
  readonly bound: readonly string[];
  /** Classes that `exports` declares, in the place of a history. */
  readonly declared: DeclaredClasses;
}

export type Read =
  | { readonly ok: true; readonly environments: readonly Environment[] }
  | { readonly ok: false; readonly problem: string };

export function readConfiguration(text: string): Read {
  try {
    const { success, output, issues } = v.safeParse(Configuration, parseConfiguration(text));
    if (!success) return { ok: false, problem: `cannot be read: ${issues.map((one) => v.getDotPath(one)).join(', ')}` };
    const sections = [['', output] as const, ...Object.entries(output.env)];
    return {
      ok: true,
      environments: sections.map(([name, section]) => ({
        name,
        // Environments inherit the history, and nothing of the bindings.
        migrations: section.migrations ?? output.migrations ?? [],
        bound: (section.durable_objects?.bindings ?? [])
          .filter((binding) => binding.script_name === undefined)
          .map((binding) => binding.class_name),
        declared: declaredIn(section.exports ?? output.exports ?? {}),
      })),
    };
  } catch (error) {
    if (!(error instanceof ConfigurationSyntaxError)) throw error;
    return { ok: false, problem: error.message };
  }
}

/** What is wrong with a configuration by itself. */
export function problemsOf(environments: readonly Environment[]): readonly string[] {
  const problems = environments.flatMap((environment) => problemsOfOne(environment, environments));
  return [...new Set(problems)];
}

function problemsOfOne(environment: Environment, all: readonly Environment[]): readonly string[] {
  const { migrations, bound, declared } = environment;
  const hasExports = Object.keys(declared).length > 0;
  const where = whereOf(environment);
  if (hasExports && migrations.length > 0) {
    return [
      `${where}has exports and migrations, which exclude each other: keep the migrations, their history is deployed`,
    ];
  }
  if (hasExports) return declarationProblems(declared, bound, where);
  const { problems, classes, deleted } = replay(migrations, where);
  const tags = migrations.map(({ tag }) => tag);
  return [
    ...problems,
    ...tags
      .filter((tag, at) => tags.indexOf(tag) !== at)
      .map((tag) => `${where}has the tag ${tag} twice: give the later migration a tag of its own`),
    ...bound
      .filter((name) => !classes.has(name) && !deleted.has(name))
      .map((name) => `${where}binds ${name}, which no tag creates: append a tag with new_sqlite_classes = ["${name}"]`),
    ...[...deleted].flatMap(([name, tag]) =>
      all
        .filter((other) => other.bound.includes(name) && !classes.has(name))
        .map((other) => `${whereOf(other)}still binds ${name}, which tag ${tag} deletes: remove the binding first`),
    ),
  ];
}

const whereOf = ({ name }: Environment): string => (name === '' ? '' : `env.${name} `);

interface Replayed {
  readonly problems: readonly string[];
  readonly classes: ReadonlySet<string>;
  /** With the tag that deleted it. */
  readonly deleted: ReadonlyMap<string, string>;
}

/** As the platform does it: one tag after the other. */
function replay(migrations: readonly Migration[], where: string): Replayed {
  const problems: string[] = [];
  const classes = new Set<string>();
  const deleted = new Map<string, string>();
  const create = (name: string, tag: string): void => {
    if (classes.has(name)) problems.push(`${where}tag ${tag} creates ${name}, which is there already`);
    classes.add(name);
    deleted.delete(name);
  };
  const remove = (name: string, tag: string, what: string): void => {
    if (!classes.delete(name)) {
      problems.push(`${where}tag ${tag} ${what} ${name}, which no earlier tag creates: restore the tag that did`);
    }
  };
  for (const migration of migrations) {
    const { tag } = migration;
    const created = [...migration.new_classes, ...migration.new_sqlite_classes];
    const others = created.length + migration.renamed_classes.length + migration.transferred_classes.length;
    if (migration.deleted_classes.length > 0 && others > 0) {
      problems.push(`${where}tag ${tag} deletes and does more: a deletion is a tag and a deployment by itself`);
    }
    for (const name of migration.deleted_classes) {
      remove(name, tag, 'deletes');
      deleted.set(name, tag);
    }
    for (const { from, to } of migration.renamed_classes) {
      remove(from, tag, 'renames');
      create(to, tag);
    }
    for (const name of [...created, ...migration.transferred_classes.map(({ to }) => to)]) create(name, tag);
  }
  return { problems, classes, deleted };
}

/** A deployed tag is never read again, so an edited one is never applied: what was committed stays as it was. */
export function appendOnlyProblems(
  before: readonly Environment[],
  after: readonly Environment[],
  commit: string,
): readonly string[] {
  return before.flatMap((old) => {
    const now = after.find(({ name }) => name === old.name) ?? after[0];
    const tags = old.migrations.flatMap((migration, at) => {
      const same = now?.migrations[at];
      if (JSON.stringify(same) === JSON.stringify(migration)) return [];
      const what = same === undefined ? 'is gone' : same.tag === migration.tag ? 'was edited' : 'has moved';
      return [`${whereOf(old)}tag ${migration.tag} ${what} since ${commit}: put it back, and append a new tag instead`];
    });
    return [...tags, ...keptProblems(old.declared, now?.declared ?? {}, whereOf(old), commit)];
  });
}
