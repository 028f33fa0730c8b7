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
  checkKind(tool);
  if (tool.kind === 'plain') checkCommon('tool', tool, PLAIN_KEYS, ['run']);
  else if (tool.kind === 'waiting') checkCommon('tool', tool, WAITING_KEYS, ['run']);
  else checkCommon('tool', tool, STATEFUL_KEYS, ['reduce']);
  checkName('tool', tool.name);
  checkHints(tool);
  if (tool.deadlineMs !== undefined && !isDeadline(tool.deadlineMs)) {
    throw new CatalogueError(
      'tool',
      tool.name,
      `has ${deadlineText(tool.deadlineMs)}`,
      `Use a number of milliseconds from 1 to ${MAX_DEADLINE_MS}.`,
    );
  }
  if (tool.kind !== 'plain') checkState(tool);
}

export const isDeadline = (ms: unknown): boolean => typeof ms === 'number' && ms >= 1 && ms <= MAX_DEADLINE_MS;

/** With the unit only after a number: "5s" has one already. */
export const deadlineText = (ms: unknown): string =>
  typeof ms === 'number' ? `a deadline of ${ms} ms` : `the deadline ${JSON.stringify(ms)}, which is no number`;

/** Before its keys are looked at, whose names mean something else in a tool of another kind. */
function checkKind(tool: AnyTool): void {
  const { kind, name, run, reduce, state } = tool as unknown as Readonly<Record<string, unknown>>;
  const called = typeof name === 'string' ? name : '(unnamed)';
  const refuse = (problem: string, remedy: string): never => {
    throw new CatalogueError('tool', called, problem, remedy);
  };
  if (kind !== 'plain' && kind !== 'stateful' && kind !== 'waiting') {
    refuse('was not made by a helper', 'Make it by defineTool({ … }), or with a state by defineStatefulTool({ … }).');
  }
  if (kind === 'plain' && (state !== undefined || reduce !== undefined)) {
    refuse('has a state or a reducer', 'Make it by defineStatefulTool({ … }).');
  }
  if (kind !== 'plain' && run !== undefined && reduce !== undefined) {
    refuse('has both "reduce" and "run"', 'Keep "reduce" if it answers at once, or "run" if it waits.');
  }
  if (kind !== 'plain' && state === undefined) {
    refuse('has no state', 'Give it one, made by defineState({ … }), or make the tool by defineTool({ … }).');
  }
}

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
  if (tool.annotations.readOnlyHint && tool.annotations.destructiveHint) {
    const remedy = 'Clients disagree on which counts: a tool that destroys does not only read.';
    throw new CatalogueError('tool', tool.name, 'says both readOnlyHint and destructiveHint', remedy);
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

const STATE_KEYS: readonly string[] = [
  'name',
  'schema',
  'initial',
  'version',
  'migrate',
  'of',
  'handle',
] satisfies readonly (keyof StateDefinition)[];

function checkState(tool: Exclude<AnyTool, { kind: 'plain' }>): void {
  if (typeof tool.state !== 'object' || tool.state === null) {
    throw new CatalogueError('tool', tool.name, 'has a state that is none', 'Give it one, made by defineState({ … }).');
  }
  const { name, schema, initial, version = 1, migrate } = tool.state;
  checkName('state', name);
  const foreign = Object.keys(tool.state).find((key) => !STATE_KEYS.includes(key));
  if (foreign !== undefined) {
    throw new CatalogueError('state', name, `has the key "${foreign}"`, `Known keys: ${STATE_KEYS.join(', ')}.`);
  }
  if (!(Number.isInteger(version) && version >= 1)) {
    throw new CatalogueError('state', name, `has the version ${JSON.stringify(version)}`, 'Use a whole number from 1.');
  }
  if (migrate !== undefined && typeof migrate !== 'function') {
    throw new CatalogueError('state', name, 'has a "migrate" that is no function', 'Give one, or leave it out.');
  }
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
