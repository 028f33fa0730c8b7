/**
 * What earlier answers taught: values by the name that they had there, and inputs that succeeded. An id that a list gave is
 * what a tool that reads one needs, and no generator could guess it. Pure.
 */
import { isPlainObject, type Json, type JsonObject } from '../../../src/shared/json.ts';
import { hintsIn } from './hints.ts';
import type { Draw } from './inputs.ts';
import { wordsOf } from './meaning.ts';

/** For each name, and of all other texts. */
const MOST_VALUES = 40;
const MOST_SEEDS = 24;
const LONGEST = 200;
const DEEPEST = 8;

type Scalar = string | number;
const isScalar = (value: unknown): value is Scalar => typeof value === 'string' || typeof value === 'number';

export class Knowledge {
  readonly #byName = new Map<string, Set<Scalar>>();
  readonly #seeds = new Map<string, Map<string, JsonObject>>();
  /** By tool, what stood in inputs that it refused. */
  readonly #failed = new Map<string, Set<Scalar>>();
  readonly #complaints = new Map<string, Set<string>>();
  /** The folder that the answer at hand is about. */
  #folder: string | undefined;

  /** An input that the control answered with a result, or that somebody says it does. */
  succeeded(tool: string, input: Json): void {
    if (!isPlainObject(input)) return;
    const seeds = this.#seeds.get(tool) ?? new Map<string, JsonObject>();
    this.#seeds.set(tool, seeds);
    if (seeds.size < MOST_SEEDS) seeds.set(JSON.stringify(input), input);
  }

  seeds(tool: string): readonly JsonObject[] {
    return [...(this.#seeds.get(tool)?.values() ?? [])];
  }

  /** An input that the control answered with an error: its values are the last ones that the tool is given again. */
  failed(tool: string, input: Json): void {
    const values = this.#failed.get(tool) ?? new Set<Scalar>();
    this.#failed.set(tool, values);
    if (isPlainObject(input)) for (const value of Object.values(input)) if (isScalar(value)) values.add(value);
  }

  /** What a tool says when it fails often names what it would have taken. */
  complained(tool: string, result: JsonObject): void {
    const known = this.#complaints.get(tool) ?? new Set<string>();
    this.#complaints.set(tool, known);
    for (const text of textsIn(result)) for (const hint of hintsIn(text)) if (known.size < MOST_VALUES) known.add(hint);
  }

  complaints(tool: string): readonly string[] {
    return [...(this.#complaints.get(tool) ?? [])];
  }

  /** Values that stood in a result, by the keys they stood under; names of files belong below the folder that was asked. */
  saw(result: JsonObject, input: Json = {}): void {
    const asked = isPlainObject(input) ? Object.values(input).find(isFolder) : undefined;
    this.#folder = typeof asked === 'string' ? asked.replace(/\/$/, '') : undefined;
    const structured = result['structuredContent'];
    if (structured !== undefined) this.#walk(structured, [], 0);
    for (const text of textsIn(result)) {
      const parsed = jsonIn(text);
      if (parsed !== undefined) this.#walk(parsed, [], 0);
      else this.#read(text);
    }
    this.#folder = undefined;
  }

  /** A resource or a prompt of the listing, which names its own parts. */
  listed(entry: JsonObject): void {
    this.#walk(entry, [], 0);
  }

  /** What the inputs of a tool are drawn with. */
  drawOf(tool: string, schema: unknown): Pick<Draw, 'hints' | 'seeds' | 'values'> {
    const names = propertiesIn(schema, 0);
    return {
      hints: this.complaints(tool),
      seeds: this.seeds(tool),
      values: Object.fromEntries(names.map((name) => [name, this.valuesFor(name, tool)])),
    };
  }

  /** Values for a property, the likeliest first. */
  valuesFor(property: string, tool: string): readonly Scalar[] {
    const words = wordsOf(property);
    const last = words.split(' ').at(-1) ?? words;
    const subject = wordsOf(tool).split(' ').map(singular);
    const names = [
      ...subject.map((word) => joined(`${word} ${last}`)),
      joined(words),
      ...(PATH_WORDS.has(last) ? ['path'] : []),
      ...(last === 'ids' || last === 'names' ? [joined(words.slice(0, -1)), last.slice(0, -1)] : []),
      last,
      ...(last.endsWith('s') ? [singular(last)] : []),
    ];
    const found = new Set(names.flatMap((name) => [...(this.#byName.get(name) ?? [])]));
    const [worked, failed] = [this.#worked(tool), this.#failed.get(tool)];
    const rank = (value: Scalar): number => (worked.has(value) ? 0 : failed?.has(value) === true ? 2 : 1);
    return [...found].toSorted((left, right) => rank(left) - rank(right)).slice(0, MOST_VALUES);
  }

  #worked(tool: string): ReadonlySet<Scalar> {
    return new Set(this.seeds(tool).flatMap((input) => Object.values(input).filter(isScalar)));
  }

  #add(name: string, value: Scalar): void {
    if (name === '' || (typeof value === 'string' && (value === '' || value.length > LONGEST))) return;
    const values = this.#byName.get(name) ?? new Set<Scalar>();
    this.#byName.set(name, values);
    if (values.size < MOST_VALUES) values.add(value);
  }

  #walk(value: unknown, keys: readonly string[], depth: number): void {
    if (depth > DEEPEST) return;
    if (typeof value === 'string' || typeof value === 'number') {
      const key = wordsOf(keys.at(-1) ?? '');
      const parent = singular(wordsOf(keys.at(-2) ?? ''));
      this.#add(joined(key), value);
      if (key.endsWith('s')) this.#add(joined(singular(key)), value);
      // `documents: [{ id }]` gives what `documentId` wants.
      if (parent !== '') this.#add(joined(`${parent} ${key}`), value);
      if (typeof value === 'string') {
        this.#read(value, value.includes('\n'));
        if (key === 'name' && this.#folder !== undefined) this.#path(`${this.#folder}/${value}`);
      }
      return;
    }
    if (Array.isArray(value)) for (const each of value.slice(0, MOST_VALUES)) this.#walk(each, keys, depth + 1);
    else if (isPlainObject(value))
      for (const [key, each] of Object.entries(value)) {
        // A map from ids to things has its ids as keys.
        if (isPlainObject(each)) this.#add(joined(`${singular(wordsOf(keys.at(-1) ?? ''))} id`), key);
        this.#walk(each, [...keys, key], depth + 1);
      }
  }

  /** A text for people: lines of `key: value`, paths, addresses, names of files. */
  #read(text: string, lines = true): void {
    const said = text.slice(0, 20_000);
    for (const [path] of said.matchAll(/(?<![\w/:.])\/(?:[\w.@+-]+\/?)+/g)) this.#path(path.replace(/[.,:]$/, ''));
    for (const [url] of said.matchAll(/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>)]+[^\s"'<>).,]/g)) {
      this.#add('url', url);
      this.#add('uri', url);
    }
    for (const [uuid] of said.matchAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi)) this.#add('id', uuid);
    if (!lines) return;
    for (const [, kind = '', name = ''] of said.matchAll(/^\s*\[(FILE|DIR)\]\s+(\S+)/gm)) this.#entry(kind, name);
    for (const [, key = '', value = ''] of said.matchAll(
      /^[\s*•-]*\**([A-Za-z][\w ]{0,30})\**\s*[:=]\s*`?([^\n`]{1,80})`?\s*$/gm,
    ))
      this.#add(joined(wordsOf(key)), value.trim());
    for (const [, id = ''] of said.matchAll(/\b([a-z]{1,12}-\d{1,8})\b/g)) this.#add('id', id);
  }

  #path(path: string): void {
    this.#add('path', path);
    this.#add(/\.\w{1,8}$/.test(path) ? 'filepath' : 'directorypath', path);
  }

  /** A name of a file is of most use below the folder that it is in. */
  #entry(kind: string, name: string): void {
    const folder = this.#folder;
    const path = folder === undefined ? name : `${folder}/${name}`;
    this.#add(kind === 'DIR' ? 'directorypath' : 'filepath', path);
    this.#add('path', path);
    this.#add('name', name);
  }
}

const isFolder = (value: unknown): boolean => typeof value === 'string' && /^(?:\/|\.\.?\/?$|[A-Za-z]:\\)/.test(value);

const MOST_PROPERTIES = 200;

function propertiesIn(schema: unknown, depth: number): readonly string[] {
  if (depth > DEEPEST || typeof schema !== 'object' || schema === null) return [];
  const own = isPlainObject(schema) && isPlainObject(schema['properties']) ? Object.keys(schema['properties']) : [];
  const below = Object.values(schema).flatMap((each) => propertiesIn(each, depth + 1));
  return [...new Set([...own, ...below])].slice(0, MOST_PROPERTIES);
}

const PATH_WORDS = new Set([
  'path',
  'paths',
  'file',
  'files',
  'filename',
  'directory',
  'folder',
  'dir',
  'cwd',
  'source',
  'destination',
  'root',
]);

const joined = (words: string): string => words.replaceAll(' ', '');
const singular = (word: string): string =>
  word.endsWith('ies')
    ? `${word.slice(0, -3)}y`
    : word.endsWith('s') && !word.endsWith('ss')
      ? word.slice(0, -1)
      : word;

function textsIn(result: JsonObject): readonly string[] {
  const content = Array.isArray(result['content']) ? (result['content'] as readonly unknown[]) : [];
  return content.flatMap((block) => (isPlainObject(block) && typeof block['text'] === 'string' ? [block['text']] : []));
}

function jsonIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
