/**
 * Refuses definitions that cannot work, or cannot work the same, on every lane. Each refusal names the definition and
 * the remedy. Runs when a catalogue is built.
 */
import type { AnyPrompt } from '../define/prompt.ts';
import type { ResourceDefinition, ResourceTemplateDefinition } from '../define/resource.ts';
import type { AnyTool } from '../define/tool.ts';
import { isPlainObject, type JsonObject } from '../json.ts';
import { parseNow } from '../schema/standard.ts';
import { CatalogueError, type DefinitionKind } from './error.ts';
import { parseTemplate } from './uri-template.ts';

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;

const KEYS = {
  tool: [
    'kind',
    'name',
    'title',
    'description',
    'input',
    'output',
    'annotations',
    'icons',
    '_meta',
    'enabled',
    'deadlineMs',
    'run',
    'state',
    'reduce',
  ],
  prompt: ['name', 'title', 'description', 'args', 'complete', 'icons', '_meta', 'enabled', 'messages'],
  resource: [
    'name',
    'title',
    'description',
    'mimeType',
    'annotations',
    'icons',
    '_meta',
    'enabled',
    'uri',
    'size',
    'read',
  ],
  'resource template': [
    'name',
    'title',
    'description',
    'mimeType',
    'annotations',
    'icons',
    '_meta',
    'enabled',
    'uriTemplate',
    'list',
    'complete',
    'read',
  ],
} as const satisfies Partial<Record<DefinitionKind, readonly string[]>>;

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

export function checkTool(tool: AnyTool): void {
  checkCommon('tool', tool);
  checkName('tool', tool.name);
  for (const hint of HINTS) {
    if (typeof (tool.annotations as unknown as Record<string, unknown> | undefined)?.[hint] !== 'boolean') {
      throw new CatalogueError(
        'tool',
        tool.name,
        `does not say its ${hint}`,
        'Say all four hints: clients read an absent one as the dangerous value.',
      );
    }
  }
  if (tool.deadlineMs !== undefined && !(tool.deadlineMs > 0 && tool.deadlineMs <= MAX_DEADLINE_MS)) {
    throw new CatalogueError(
      'tool',
      tool.name,
      `has a deadline of ${tool.deadlineMs} ms`,
      `Use a number of milliseconds from 1 to ${MAX_DEADLINE_MS}.`,
    );
  }
  if (tool.kind === 'stateful') checkState(tool);
}

/** A timer longer than this cannot be set (2^31 - 1 ms). */
const MAX_DEADLINE_MS = 2_147_483_647;

function checkState(tool: Extract<AnyTool, { kind: 'stateful' }>): void {
  const { name, schema, initial } = tool.state;
  checkName('state', name);
  const parsed = parseNow(schema, initial);
  if (!parsed.ok) {
    throw new CatalogueError(
      'state',
      name,
      `of the tool "${tool.name}" has an initial value that its own schema refuses`,
      'Make the initial value fit the schema; the schema must validate at once, without a promise.',
    );
  }
  if (JSON.stringify(parsed.value) === undefined) {
    throw new CatalogueError('state', name, 'has an initial value that JSON cannot carry', 'Use plain JSON values.');
  }
}

export function checkPrompt(prompt: AnyPrompt, json: JsonObject): void {
  checkCommon('prompt', prompt);
  checkName('prompt', prompt.name);
  const properties = isPlainObject(json['properties']) ? json['properties'] : {};
  for (const [argument, schema] of Object.entries(properties)) {
    if (!isPlainObject(schema) || !isStringSchema(schema)) {
      throw new CatalogueError(
        'prompt',
        prompt.name,
        `has the argument "${argument}" that is not a string`,
        'Prompt arguments are strings on the wire: use z.string(), z.enum(…) or z.literal(…).',
      );
    }
    if ('default' in schema) {
      throw new CatalogueError(
        'prompt',
        prompt.name,
        `gives its argument "${argument}" a default`,
        'SDK v1 lists it as required and SDK v2 as optional: use .optional() and choose the default in messages().',
      );
    }
  }
  checkCompleters('prompt', prompt.name, prompt.complete, Object.keys(properties));
}

export function checkResource(resource: ResourceDefinition): void {
  checkCommon('resource', resource);
  if (!URL.canParse(resource.uri) || new URL(resource.uri).toString() !== resource.uri) {
    throw new CatalogueError(
      'resource',
      resource.name,
      `has the URI "${resource.uri}", which is not in its normal form`,
      'Clients and SDKs compare URIs after parsing: write it as new URL(uri).toString() gives it.',
    );
  }
}

export function checkTemplate(template: ResourceTemplateDefinition): void {
  checkCommon('resource template', template);
  const variables = parseTemplate(template.uriTemplate);
  if (variables === undefined) {
    throw new CatalogueError(
      'resource template',
      template.name,
      `has the URI template "${template.uriTemplate}", which is not of level 1`,
      'Use literal text and {name} variables only, at least one, each name once, with text between them.',
    );
  }
  checkCompleters('resource template', template.name, template.complete, variables.names);
}

/** @throws CatalogueError for the first name that two definitions share. */
export function checkUnique(kind: DefinitionKind, names: readonly string[]): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw new CatalogueError(kind, name, 'is defined twice', 'Give each its own name.');
    seen.add(name);
  }
}

function checkCommon(kind: keyof typeof KEYS, definition: { name: string; title: string; description: string }): void {
  const name = typeof definition.name === 'string' ? definition.name : '(unnamed)';
  const foreign = Object.keys(definition).find((key) => !(KEYS[kind] as readonly string[]).includes(key));
  if (foreign !== undefined) {
    throw new CatalogueError(
      kind,
      name,
      `has the key "${foreign}", which no lane serves the same way`,
      `Remove it. Known keys: ${KEYS[kind].join(', ')}.`,
    );
  }
  for (const key of ['name', 'title', 'description'] as const) {
    if (typeof definition[key] !== 'string' || definition[key].trim() === '') {
      throw new CatalogueError(kind, name, `has no ${key}`, 'The model or the user sees it: write one.');
    }
  }
}

function checkName(kind: DefinitionKind, name: string): void {
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

function checkCompleters(
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

function isStringSchema(schema: Record<string, unknown>): boolean {
  if (schema['type'] === 'string' || typeof schema['const'] === 'string') return true;
  const choices = schema['enum'];
  return Array.isArray(choices) && choices.every((choice) => typeof choice === 'string');
}
