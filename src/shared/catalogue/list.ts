/** One entry of each list result, as it goes on the wire on every lane: same keys, same order. Pure. */
import type { AnyPrompt } from '../define/prompt.ts';
import type { ListedResource, ResourceDefinition, ResourceTemplateDefinition } from '../define/resource.ts';
import { showsHandle } from '../define/state.ts';
import type { AnyTool } from '../define/tool.ts';
import { isPlainObject, type Json, type JsonObject } from '../json.ts';
import { toObjectJsonSchema } from '../schema/convert.ts';
import { HANDLE_INPUT, HANDLE_OUTPUT, STATEFUL_DESCRIPTION } from '../state/handle-texts.ts';
import { CatalogueError } from './error.ts';

export function listTool(tool: AnyTool): JsonObject {
  const place = { kind: 'tool', name: tool.name } as const;
  let input = toObjectJsonSchema(tool.input, 'input', { ...place, part: 'input' });
  let output =
    tool.output === undefined ? undefined : toObjectJsonSchema(tool.output, 'output', { ...place, part: 'output' });
  const hasHandle = tool.kind !== 'plain' && showsHandle(tool.state);
  if (hasHandle) {
    input = withHandle(tool.name, input, HANDLE_INPUT, false);
    output = output === undefined ? undefined : withHandle(tool.name, output, HANDLE_OUTPUT, true);
  }
  return entry({
    name: tool.name,
    title: tool.title,
    description: hasHandle ? `${STATEFUL_DESCRIPTION} ${tool.description}` : tool.description,
    inputSchema: input,
    outputSchema: output,
    annotations: { title: tool.title, ...tool.annotations },
    icons: tool.icons,
    _meta: tool._meta,
  });
}

function withHandle(name: string, schema: JsonObject, handle: JsonObject, required: boolean): JsonObject {
  const properties = isPlainObject(schema['properties']) ? schema['properties'] : {};
  if (Object.hasOwn(properties, 'handle')) {
    throw new CatalogueError(
      'tool',
      name,
      'has a "handle" of its own',
      'The catalogue gives it one: rename yours, or say handle: false in its state.',
    );
  }
  const needed = Array.isArray(schema['required']) ? (schema['required'] as readonly Json[]) : [];
  return {
    ...schema,
    properties: { ...properties, handle },
    ...((required || needed.length > 0) && { required: required ? [...needed, 'handle'] : needed }),
  };
}

export function listPrompt(prompt: AnyPrompt, args: JsonObject): JsonObject {
  const properties = isPlainObject(args['properties']) ? args['properties'] : {};
  const required = new Set(Array.isArray(args['required']) ? (args['required'] as readonly unknown[]) : []);
  return entry({
    name: prompt.name,
    title: prompt.title,
    description: prompt.description,
    arguments: Object.entries(properties).map(([name, schema]) =>
      entry({
        name,
        description:
          isPlainObject(schema) && typeof schema['description'] === 'string' ? schema['description'] : undefined,
        required: required.has(name),
      }),
    ),
    icons: prompt.icons,
    _meta: prompt._meta,
  });
}

export function listResource(resource: ResourceDefinition): JsonObject {
  return entry({
    uri: resource.uri,
    name: resource.name,
    title: resource.title,
    description: resource.description,
    mimeType: resource.mimeType,
    size: resource.size,
    annotations: resource.annotations,
    icons: resource.icons,
    _meta: resource._meta,
  });
}

/** A member that a template lists: what the member does not say, it takes from its template. */
export function listMember(template: ResourceTemplateDefinition, member: ListedResource): JsonObject {
  return entry({
    uri: member.uri,
    name: member.name,
    title: member.title,
    description: member.description,
    mimeType: member.mimeType ?? template.mimeType,
    size: member.size,
    annotations: template.annotations,
  });
}

export function listTemplate(template: ResourceTemplateDefinition): JsonObject {
  return entry({
    uriTemplate: template.uriTemplate,
    name: template.name,
    title: template.title,
    description: template.description,
    mimeType: template.mimeType,
    annotations: template.annotations,
    icons: template.icons,
    _meta: template._meta,
  });
}

/** Drops absent members: `undefined` would be a difference between a lane that serialises and one that clones. */
function entry(members: Readonly<Record<string, unknown>>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JsonObject;
}
