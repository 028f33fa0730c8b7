/** Compares what two servers advertise, and says of every change whom it hurts. Pure. */
import type { Json, JsonObject } from '../../shared/json.ts';
import { objectIn, same, textOf, type Change, type ChangeClass, type Surface, type SurfaceFinding } from './listing.ts';
import { schemaChanges } from './schema-change.ts';

const LISTS = [
  { key: 'tools', word: 'tool', id: 'name' },
  { key: 'prompts', word: 'prompt', id: 'name' },
  { key: 'resources', word: 'resource', id: 'uri' },
  { key: 'resourceTemplates', word: 'resource template', id: 'uriTemplate' },
] as const;

export function compareSurface(control: Surface, candidate: Surface): readonly SurfaceFinding[] {
  return [
    ...server(control, candidate),
    ...LISTS.flatMap(({ key, word, id }) => list(control[key], candidate[key], word, id)),
  ];
}

function server(control: Surface, candidate: Surface): SurfaceFinding[] {
  const found: SurfaceFinding[] = [];
  const add = (kind: ChangeClass, path: string, left: Json | undefined, right: Json | undefined, why: string): void => {
    if (!same(left, right)) found.push({ where: 'server', class: kind, path, control: left, candidate: right, why });
  };
  add('non-breaking', 'instructions', control.instructions, candidate.instructions, 'the model reads another text');
  for (const name of new Set([...Object.keys(control.capabilities), ...Object.keys(candidate.capabilities)])) {
    const [left, right] = [control.capabilities[name], candidate.capabilities[name]];
    if (right === undefined) add('breaking', `capabilities.${name}`, left, right, 'the candidate lacks a capability');
    else add('non-breaking', `capabilities.${name}`, left, right, 'the candidate declares another capability');
  }
  for (const key of ['name', 'title', 'version']) {
    const [left, right] = [control.serverInfo[key], candidate.serverInfo[key]];
    add('informational', `serverInfo.${key}`, left, right, 'the server calls itself otherwise');
  }
  return found;
}

function list(
  control: readonly JsonObject[],
  candidate: readonly JsonObject[],
  word: string,
  id: 'name' | 'uri' | 'uriTemplate',
): SurfaceFinding[] {
  const nameOf = (entry: JsonObject): string => textOf(entry[id]);
  const right = new Map(candidate.map((entry) => [nameOf(entry), entry]));
  const left = new Map(control.map((entry) => [nameOf(entry), entry]));
  const found: SurfaceFinding[] = [];
  for (const [name, entry] of left) {
    const where = `${word} ${name}`;
    const other = right.get(name);
    if (other === undefined) {
      found.push({
        where,
        class: 'breaking',
        path: '',
        control: name,
        candidate: undefined,
        why: `the candidate has no such ${word}`,
      });
    } else found.push(...entryChanges(entry, other, word).map((change) => ({ where, ...change })));
  }
  for (const name of right.keys()) {
    if (left.has(name)) continue;
    const why = `only the candidate has this ${word}`;
    found.push({ where: `${word} ${name}`, class: 'non-breaking', path: '', control: undefined, candidate: name, why });
  }
  const [before, after] = [
    [...left.keys()].filter((name) => right.has(name)),
    [...right.keys()].filter((name) => left.has(name)),
  ];
  if (!same(before, after)) {
    const why = 'the model reads them in another order';
    found.push({ where: `${word}s`, class: 'non-breaking', path: 'order', control: before, candidate: after, why });
  }
  return found;
}

function entryChanges(control: JsonObject, candidate: JsonObject, word: string): Change[] {
  return [...new Set([...Object.keys(control), ...Object.keys(candidate)])].flatMap((key): Change[] => {
    const [left, right] = [control[key], candidate[key]];
    if (same(left, right)) return [];
    if (key === 'inputSchema') return schemaChanges(left, right, 'input', key);
    if (key === 'outputSchema') {
      if (left !== undefined && right !== undefined) return schemaChanges(left, right, 'output', key);
      const [kind, why] =
        right === undefined
          ? (['breaking', 'the candidate promises less than the control'] as const)
          : (['non-breaking', 'the candidate promises more than the control'] as const);
      return [{ class: kind, path: key, control: left, candidate: right, why }];
    }
    if (key === 'annotations') return hints(objectIn(left), objectIn(right));
    if (key === 'arguments' && word === 'prompt')
      return [
        { class: 'breaking', path: key, control: left, candidate: right, why: 'the prompt takes other arguments' },
      ];
    const [kind, why] = FIELD[key] ?? OTHER_FIELD;
    return [{ class: kind, path: key, control: left, candidate: right, why }];
  });
}

const FIELD: Readonly<Record<string, readonly [ChangeClass, string]>> = {
  description: ['non-breaking', 'the model reads another text'],
  title: ['informational', 'people see another title'],
  icons: ['informational', 'people see another icon'],
  _meta: ['informational', 'it is for clients that know it'],
  execution: ['informational', 'it is for clients that know it'],
  size: ['informational', 'the size is a hint'],
  mimeType: ['breaking', 'a client may read the contents otherwise'],
};

const OTHER_FIELD: readonly [ChangeClass, string] = ['non-breaking', 'the definition says something else'];

/** Hints have defaults (spec, ToolAnnotations), so one that is not there says the same as its default. */
const HINT_DEFAULTS: JsonObject = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

function hints(control: JsonObject, candidate: JsonObject): Change[] {
  return [...new Set([...Object.keys(control), ...Object.keys(candidate)])].flatMap((key): Change[] => {
    const left = control[key] ?? HINT_DEFAULTS[key];
    const right = candidate[key] ?? HINT_DEFAULTS[key];
    if (same(left, right)) return [];
    const kind = key in HINT_DEFAULTS ? 'non-breaking' : 'informational';
    return [
      {
        class: kind,
        path: `annotations.${key}`,
        control: control[key],
        candidate: candidate[key],
        why: 'clients ask for consent by it',
      },
    ];
  });
}
