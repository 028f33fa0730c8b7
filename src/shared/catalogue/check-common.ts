/** What every kind of definition is checked for: its keys, its texts, its name, its functions, its completers. */
import { isPlainObject, type JsonObject, throughWire } from '../json.ts';
import type { Access } from '../define/access.ts';
import { checkAccess, type Conditional } from './access.ts';
import { CatalogueError, type DefinitionKind } from './error.ts';

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;

interface Named extends Access<never> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
}

/**
 * @param known Every key that the definition may have.
 * @param functions Those of them that must be functions.
 */
export function checkCommon(
  kind: Conditional['kind'],
  definition: Named,
  known: readonly string[],
  functions: readonly string[],
): void {
  const members = definition as unknown as Readonly<Record<string, unknown>>;
  const name = typeof definition.name === 'string' ? definition.name : '(unnamed)';
  const foreign = Object.keys(members).find((key) => !known.includes(key));
  if (foreign !== undefined) {
    throw new CatalogueError(
      kind,
      name,
      `has the key "${foreign}", which no lane serves the same way`,
      `Remove it. Known keys: ${known.join(', ')}.`,
    );
  }
  for (const key of ['name', 'title', 'description'] as const) {
    if (typeof definition[key] !== 'string' || definition[key].trim() === '') {
      throw new CatalogueError(kind, name, `has no ${key}`, 'The model or the user sees it: write one.');
    }
  }
  const missing = functions.find((key) => typeof members[key] !== 'function');
  if (missing !== undefined) {
    throw new CatalogueError(kind, name, `has no function "${missing}"`, 'Every request for it would fail: write one.');
  }
  checkAccess(kind, name, definition);
}

export function checkName(kind: DefinitionKind, name: string): void {
  if (!NAME.test(name)) {
    throw new CatalogueError(
      kind,
      name,
      'has a name that clients may refuse',
      'Use 1 to 128 of: letters, digits, _ - and a dot.',
    );
  }
  if (name in Object.prototype) {
    throw new CatalogueError(
      kind,
      name,
      'has the name of a property that every object has',
      'SDK registries find it even where it is not registered: choose another.',
    );
  }
}

/** @throws CatalogueError for the first name that two definitions share. */
export function checkUnique(kind: DefinitionKind, names: readonly string[]): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw new CatalogueError(kind, name, 'is defined twice', 'Give each its own name.');
    seen.add(name);
  }
}

export function checkCompleters(
  kind: DefinitionKind,
  name: string,
  complete: object | undefined,
  known: readonly string[],
): void {
  const unknown = Object.keys(complete ?? {}).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    throw new CatalogueError(
      kind,
      name,
      `completes "${unknown}", which it does not have`,
      `It has: ${known.join(', ') || 'none'}.`,
    );
  }
}

/** A list entry as JSON carries it, so that nothing in it can differ between lanes or change later. */
export function checkEntry(kind: DefinitionKind, name: string, entry: JsonObject): JsonObject {
  try {
    const json = throughWire(entry);
    if (isPlainObject(json)) return json;
  } catch (cause) {
    const remedy = 'Use plain JSON values in _meta, icons, annotations and schema defaults.';
    throw new CatalogueError(kind, name, 'cannot be listed, because JSON cannot carry it', remedy, { cause });
  }
  throw new TypeError('A list entry is an object');
}
