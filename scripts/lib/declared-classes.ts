/**
 * Durable Object classes that a wrangler configuration declares under `exports`, which takes the place of a history of
 * migrations: what is live, and what has become of the others. Pure.
 */
import * as v from 'valibot';

/** What `exports` says of one class. Entries of other kinds, Workers and workflows, are nobody's history. */
export interface Declared {
  readonly state: string;
  readonly storage?: string;
  readonly renamedTo?: string;
}
export type DeclaredClasses = Readonly<Record<string, Declared>>;

const Entry = v.looseObject({
  type: v.string(),
  state: v.optional(v.string(), 'created'),
  storage: v.optional(v.string()),
  renamed_to: v.optional(v.string()),
});
export const Exports = v.record(v.string(), Entry);

const LIVE: ReadonlySet<string> = new Set(['created', 'expecting-transfer']);
const STATES: ReadonlySet<string> = new Set([...LIVE, 'deleted', 'renamed', 'transferred']);
const STORAGES: ReadonlySet<string> = new Set(['sqlite', 'legacy-kv']);

export const declaredIn = (exports: v.InferOutput<typeof Exports>): DeclaredClasses =>
  Object.fromEntries(
    Object.entries(exports)
      .filter(([, { type }]) => type === 'durable-object')
      .map(([name, { state, storage, renamed_to: renamedTo }]) => [
        name,
        { state, ...(storage !== undefined && { storage }), ...(renamedTo !== undefined && { renamedTo }) },
      ]),
  );

const isLive = (classes: DeclaredClasses, name: string): boolean => LIVE.has(classes[name]?.state ?? '');

/** What is wrong with a declaration by itself. @param where Written before each problem. */
export function declarationProblems(
  classes: DeclaredClasses,
  bound: readonly string[],
  where: string,
): readonly string[] {
  return [
    ...Object.entries(classes).flatMap(([name, declared]) => problemsOfClass(name, declared, classes, where)),
    ...bound
      .filter((name) => !isLive(classes, name))
      .map((name) =>
        classes[name] === undefined
          ? `${where}binds ${name}, which exports does not declare: add exports.${name} with type "durable-object" and storage "sqlite"`
          : `${where}still binds ${name}, which exports says is ${classes[name].state}: remove the binding first`,
      ),
  ];
}

function problemsOfClass(
  name: string,
  { state, storage, renamedTo }: Declared,
  classes: DeclaredClasses,
  where: string,
): readonly string[] {
  if (!STATES.has(state)) {
    return [`${where}exports.${name} has the state "${state}": use one of ${[...STATES].join(', ')}`];
  }
  if (LIVE.has(state) && !STORAGES.has(storage ?? '')) {
    return [`${where}exports.${name} has no storage: say "sqlite", or "legacy-kv" of a class that began with it`];
  }
  if (state !== 'renamed') return [];
  return renamedTo !== undefined && isLive(classes, renamedTo)
    ? []
    : [`${where}exports.${name} is renamed to ${renamedTo ?? 'nothing'}, which exports does not declare: declare it`];
}

/** What was live when it was committed has objects: it stays, with the storage that it has, or it is said what became of it. */
export function keptProblems(
  before: DeclaredClasses,
  after: DeclaredClasses,
  where: string,
  commit: string,
): readonly string[] {
  return Object.entries(before)
    .filter(([name]) => isLive(before, name))
    .flatMap(([name, { storage }]) => {
      const now = after[name];
      if (now === undefined) {
        return [
          `${where}exports.${name} is gone since ${commit}: put it back, and say what became of it by its state ("deleted", "renamed" or "transferred")`,
        ];
      }
      return now.storage === undefined || now.storage === storage
        ? []
        : [
            `${where}exports.${name} had the storage ${storage ?? 'of no kind'} at ${commit}, which no class can change: put it back`,
          ];
    });
}
