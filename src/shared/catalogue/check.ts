/**
 * Refuses prompts, resources and limits that cannot work, or cannot work the same, on every lane. Each refusal names
 * the definition and the remedy. Runs when a catalogue is built.
 */
import type { AnyPrompt } from '../define/prompt.ts';
import type { ResourceDefinition, ResourceTemplateDefinition } from '../define/resource.ts';
import { isPlainObject, type JsonObject } from '../json.ts';
import type { CallLimits } from '../pipeline/call-tool.ts';
import { checkCommon, checkCompleters, checkName } from './check-common.ts';
import { deadlineText, isDeadline, MAX_DEADLINE_MS } from './check-tool.ts';
import { CatalogueError } from './error.ts';
import { parseTemplate } from './uri-template.ts';

const PROMPT_KEYS = [
  'name',
  'title',
  'description',
  'args',
  'complete',
  'icons',
  '_meta',
  'visible',
  'scopes',
  'enabled',
  'messages',
] as const;
const RESOURCE_BASE_KEYS = [
  'name',
  'title',
  'description',
  'mimeType',
  'annotations',
  'icons',
  '_meta',
  'visible',
  'scopes',
  'enabled',
] as const;
const RESOURCE_KEYS = [...RESOURCE_BASE_KEYS, 'uri', 'size', 'read'] as const;
const TEMPLATE_KEYS = [...RESOURCE_BASE_KEYS, 'uriTemplate', 'list', 'complete', 'read'] as const;

export function checkPrompt(prompt: AnyPrompt, json: JsonObject): void {
  checkCommon('prompt', prompt, PROMPT_KEYS, ['messages']);
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
  checkCommon('resource', resource, RESOURCE_KEYS, ['read']);
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
  checkCommon('resource template', template, TEMPLATE_KEYS, ['read']);
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

export function checkLimits({ deadlineMs, maxResultBytes }: CallLimits): void {
  if (!isDeadline(deadlineMs)) {
    const remedy = `Use a number of milliseconds from 1 to ${MAX_DEADLINE_MS}.`;
    throw new CatalogueError('catalogue', 'limits', `has ${deadlineText(deadlineMs)}`, remedy);
  }
  if (!(typeof maxResultBytes === 'number' && maxResultBytes >= 1)) {
    const remedy = 'Use a number of bytes from 1.';
    throw new CatalogueError('catalogue', 'limits', `has a result size of ${String(maxResultBytes)} bytes`, remedy);
  }
}

export function checkScopesMissing(given: unknown): void {
  if (given === 'challenge' || given === 'hide') return;
  const remedy = 'Use "challenge" or "hide", or leave it out.';
  throw new CatalogueError('catalogue', 'scopesMissing', `is "${String(given)}"`, remedy);
}

function isStringSchema(schema: Record<string, unknown>): boolean {
  if (schema['type'] === 'string' || typeof schema['const'] === 'string') return true;
  const choices = schema['enum'];
  return Array.isArray(choices) && choices.every((choice) => typeof choice === 'string');
}
