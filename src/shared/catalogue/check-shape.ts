/**
 * Refuses a catalogue whose parts are not what they have to be: definitions may come from plain JavaScript, or from a cast.
 * The other checks may then rely on the types.
 */
import type { CallLimits } from '../pipeline/call-tool.ts';
import { CatalogueError } from './error.ts';

const LIMITS = ['deadlineMs', 'maxResultBytes'] as const satisfies readonly (keyof CallLimits)[];

/** @throws CatalogueError if a part is not what it has to be. */
type PartCheck = (value: unknown) => void;

const PARTS: Readonly<Record<string, PartCheck>> = {
  info: checkInfo,
  instructions: (value) => {
    if (typeof value !== 'string') refuse('instructions', 'is no text', 'Give what a model reads first, or "".');
  },
  tools: listOf('tools', 'defineTool(…) or defineStatefulTool(…)', true),
  prompts: listOf('prompts', 'definePrompt(…)'),
  resources: listOf('resources', 'defineResource(…)'),
  templates: listOf('templates', 'defineResourceTemplate(…)'),
  registrations: (value) => {
    listOf('registrations', 'registrations(…) of "hybrid-mcp/port"')(value);
    for (const one of (value ?? []) as readonly object[]) {
      if (!('entriesFor' in one)) refuse('registrations', 'has a member that is none', GIVE_REGISTRATIONS);
    }
  },
  limits: (value) => {
    if (value === undefined) return;
    if (!isObject(value)) return refuse('limits', 'is no object', `Known limits: ${LIMITS.join(', ')}.`);
    checkKnown('limits', value, LIMITS);
  },
  scopesMissing: () => undefined,
};

const GIVE_REGISTRATIONS = 'Give registrations(register, { env }): the function alone does not say its environment.';

/** @throws CatalogueError for what is missing, unknown or of another kind. */
export function checkShape(definition: unknown): void {
  if (!isObject(definition)) {
    refuse('definition', 'is missing', 'Give an object with info, instructions and tools.');
    return;
  }
  checkKnown('definition', definition, Object.keys(PARTS));
  for (const [part, check] of Object.entries(PARTS)) check(definition[part]);
}

function checkInfo(value: unknown): void {
  if (!isObject(value)) {
    refuse('info', 'is no object', 'Give the name, the title and the version of the server.');
    return;
  }
  checkKnown('info', value, ['name', 'title', 'version', 'websiteUrl', 'icons']);
  for (const key of ['name', 'title', 'version'] as const) {
    const text = value[key];
    if (typeof text !== 'string' || text.trim() === '') refuse('info', `has no ${key}`, 'Clients show it: write one.');
  }
}

function listOf(part: string, by: string, required = false): PartCheck {
  return (value) => {
    if (value === undefined && !required) return;
    if (!Array.isArray(value)) return refuse(part, 'is no list', `Give a list of what ${by} makes.`);
    const foreign = value.findIndex((one) => typeof one !== 'object' || one === null);
    if (foreign !== -1) {
      refuse(part, `has a member that is no definition, number ${foreign + 1}`, `Give what ${by} makes.`);
    }
  };
}

function checkKnown(part: string, value: object, known: readonly string[]): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) refuse(part, `has the key "${unknown}"`, `Known keys: ${known.join(', ')}.`);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function refuse(part: string, problem: string, remedy: string): void {
  throw new CatalogueError('catalogue', part, problem, remedy);
}
