/** Refuses tools, and the state behind them, that cannot work the same on every lane. */
import type { StateDefinition } from '../define/state.ts';
import type { AnyTool } from '../define/tool.ts';
import { toObjectJsonSchema } from '../schema/convert.ts';
import { parseNow } from '../schema/standard.ts';
import { checkCommon, checkName } from './check-common.ts';
import { CatalogueError } from './error.ts';

const BASE_KEYS = [
  'kind',
  'name',
  'title',
  'description',
  'input',
  'output',
  'annotations',
  'icons',
  '_meta',
  'visible',
  'scopes',
  'enabled',
  'deadlineMs',
] as const;
const PLAIN_KEYS = [...BASE_KEYS, 'run'] as const;
const STATEFUL_KEYS = [...BASE_KEYS, 'state', 'reduce'] as const;
const WAITING_KEYS = [...BASE_KEYS, 'state', 'run'] as const;

const HINTS: readonly string[] = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];

/** A timer longer than this cannot be set (2^31 - 1 ms). */
export const MAX_DEADLINE_MS = 2_147_483_647;

export function checkTool(tool: AnyTool): void {
  if (tool.kind === 'plain') checkCommon('tool', tool, PLAIN_KEYS, ['run']);
  else if (tool.kind === 'waiting') checkCommon('tool', tool, WAITING_KEYS, ['run']);
  else checkCommon('tool', tool, STATEFUL_KEYS, ['reduce']);
  checkName('tool', tool.name);
  checkHints(tool);
  if (tool.deadlineMs !== undefined && !isDeadline(tool.deadlineMs)) {
    throw new CatalogueError(
      'tool',
      tool.name,
      `has a deadline of ${tool.deadlineMs} ms`,
      `Use a number of milliseconds from 1 to ${MAX_DEADLINE_MS}.`,
    );
  }
  if (tool.kind !== 'plain') checkState(tool);
}

export const isDeadline = (ms: number): boolean => ms >= 1 && ms <= MAX_DEADLINE_MS;

function checkHints(tool: AnyTool): void {
  const annotations: Readonly<Record<string, unknown>> = { ...tool.annotations };
  const missing = HINTS.find((hint) => typeof annotations[hint] !== 'boolean');
  if (missing !== undefined) {
    throw new CatalogueError(
      'tool',
      tool.name,
      `does not say its ${missing}`,
      'Say all four hints: clients read an absent one as the dangerous value.',
    );
  }
  const foreign = Object.keys(annotations).find((key) => !HINTS.includes(key));
  if (foreign !== undefined) {
    throw new CatalogueError(
      'tool',
      tool.name,
      `has the annotation "${foreign}"`,
      `Known annotations: ${HINTS.join(', ')}; the title is the tool's own.`,
    );
  }
}

function checkState(tool: Exclude<AnyTool, { kind: 'plain' }>): void {
  if (typeof tool.state !== 'object' || tool.state === null) {
    throw new CatalogueError('tool', tool.name, 'has no state', 'Give it one, made by defineState(…).');
  }
  const { name, schema, initial } = tool.state;
  checkName('state', name);
  checkWhose(tool.state);
  // An object at the root, so that a state can never be mistaken for none.
  toObjectJsonSchema(schema, 'output', { kind: 'state', name, part: 'state' });
  const parsed = parseNow(schema, initial);
  if (!parsed.ok) {
    throw new CatalogueError(
      'state',
      name,
      `of the tool "${tool.name}" has an initial value that its own schema refuses`,
      'Make the initial value fit the schema; the schema must validate at once, without a promise.',
    );
  }
  if (!survivesStorage(schema, parsed.value)) {
    throw new CatalogueError(
      'state',
      name,
      `of the tool "${tool.name}" has an initial value that JSON cannot carry and read back`,
      'Use plain JSON values, and a schema that accepts what it gives.',
    );
  }
}

const OWNERS: readonly unknown[] = ['session', 'subject', 'handle'] satisfies readonly StateDefinition['of'][];

function checkWhose({ name, of, handle }: StateDefinition): void {
  if (of !== undefined && !OWNERS.includes(of)) {
    throw new CatalogueError('state', name, `is of "${of}"`, `Say whose it is: ${OWNERS.join(', ')}.`);
  }
  if (handle !== undefined && typeof handle !== 'boolean') {
    throw new CatalogueError('state', name, 'has a "handle" that is neither true nor false', 'Say one of them.');
  }
  if (of === 'subject' && handle === true) {
    const remedy = 'Leave "handle" out: the subject finds its state on every lane, and nobody else may have it.';
    throw new CatalogueError('state', name, 'is of the subject and has a handle', remedy);
  }
  if (of === 'handle' && handle === false) {
    const remedy = 'Leave "handle" out, or say of: "session".';
    throw new CatalogueError('state', name, 'is of the handle and has none, so no call could find it again', remedy);
  }
}

/** True where the schema takes the value back, unchanged, from the JSON that storage keeps. */
function survivesStorage(schema: Parameters<typeof parseNow>[0], value: unknown): boolean {
  try {
    const text = JSON.stringify(value);
    structuredClone(value); // refuses functions, which JSON would drop in silence
    const again = parseNow(schema, JSON.parse(text));
    return again.ok && JSON.stringify(again.value) === text;
  } catch {
    return false;
  }
}

/** Two tools share a state only where they share its one definition. */
export function checkStates(tools: readonly AnyTool[]): void {
  const states = new Map<string, unknown>();
  for (const tool of tools) {
    if (tool.kind === 'plain') continue;
    const { name } = tool.state;
    if (states.has(name) && states.get(name) !== tool.state) {
      const remedy = 'Use the same defineState(…) value in both tools, or another name.';
      throw new CatalogueError('state', name, `of the tool "${tool.name}" is defined twice`, remedy);
    }
    states.set(name, tool.state);
  }
}
