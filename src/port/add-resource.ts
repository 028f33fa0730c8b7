/** Resources and resource templates of a registration. */
import { CatalogueError } from '../shared/catalogue/error.ts';
import type { CallContext } from '../shared/define/context.ts';
import type { RegisteredTemplate, AsWritten } from '../shared/define/registrations.ts';
import type { ResourceContents } from '../shared/define/reply.ts';
import type { ListedResource, ResourceDefinition } from '../shared/define/resource.ts';
import { isPlainObject } from '../shared/json.ts';
import { completing } from './add-prompt.ts';
import { called, present, register, type Handle, type Handler, type Table } from './table.ts';
import { isTemplate, type CompleteCallback, type TemplateLike } from './template.ts';

/** What a resource says of itself beside its name and its URI. */
export type ResourceConfig = Readonly<Record<string, unknown>>;

interface Fields {
  readonly name?: string;
  readonly title?: string;
  readonly metadata?: ResourceConfig;
  readonly readCallback: Handler;
  readonly resourceTemplate?: unknown;
}

/** The SDK of the 2026 protocol takes it beside the metadata, and does not list it. */
const listedMetadata = ({ cacheHint: _hint, ...metadata }: ResourceConfig = {}): ResourceConfig => metadata;

export function addResource(
  table: Table,
  name: string,
  uri: string,
  config: ResourceConfig = {},
  readCallback: Handler,
): Handle {
  return register(table, table.resources, {
    kind: 'resource',
    key: uri,
    keyName: 'uri',
    fields: { name, title: config['title'], metadata: listedMetadata(config), readCallback },
    renamed: { callback: 'readCallback' },
    build: (key, fields) => resourceOf(table, key, fields as unknown as Fields),
  });
}

function resourceOf(table: Table, given: string, fields: Fields): ResourceDefinition & AsWritten {
  const { name = given, metadata = {}, readCallback } = fields;
  needsHandler('resource', name, readCallback);
  if (!URL.canParse(given)) {
    throw new CatalogueError(
      'resource',
      name,
      `has the URI "${given}", which is none`,
      'Give it a scheme, as in docs://readme.',
    );
  }
  return {
    // What a client asks for is read as a URL first, on every lane.
    uri: new URL(given).toString(),
    name,
    title: textOf(metadata['title']) ?? name,
    description: textOf(metadata['description']) ?? '',
    read: async (ctx: CallContext) =>
      contentsOf(name, await called(table, 'resources/read', ctx, (extra) => readCallback(new URL(given), extra))),
    listing: () => present({ uri: given, name, ...metadata }),
  };
}

export function addTemplate(
  table: Table,
  name: string,
  template: TemplateLike,
  config: ResourceConfig = {},
  readCallback: Handler,
): Handle {
  return register(table, table.templates, {
    kind: 'resource template',
    key: name,
    keyName: 'name',
    fields: { title: config['title'], metadata: listedMetadata(config), readCallback, resourceTemplate: template },
    renamed: { callback: 'readCallback', template: 'resourceTemplate' },
    build: (key, fields) => templateOf(table, key, fields as unknown as Fields),
  });
}

function templateOf(table: Table, name: string, fields: Fields): RegisteredTemplate {
  const { metadata = {}, readCallback, resourceTemplate: template } = fields;
  needsHandler('resource template', name, readCallback);
  if (!isTemplate(template)) {
    throw new CatalogueError(
      'resource template',
      name,
      'is no ResourceTemplate',
      'Use the class of an SDK or of "hybrid-mcp/port".',
    );
  }
  const { uriTemplate, listCallback } = template;
  const variables = [...uriTemplate.variableNames];
  const list = typeof listCallback === 'function' ? (listCallback as Handler) : undefined;
  return {
    uriTemplate: uriTemplate.toString(),
    name,
    title: textOf(metadata['title']) ?? name,
    description: textOf(metadata['description']) ?? '',
    variables,
    match: (uri) => {
      const found = uriTemplate.match(uri);
      return found === null ? undefined : ({ ...found } as Record<string, string>);
    },
    complete: Object.fromEntries(
      variables.flatMap((variable) => {
        const completer = template.completeCallback(variable);
        return typeof completer === 'function' ? [[variable, completing(completer as CompleteCallback)]] : [];
      }),
    ),
    ...(list !== undefined && {
      list: async (ctx: CallContext) => {
        const listed = await called(table, 'resources/list', ctx, (extra) => list(extra));
        const members =
          isPlainObject(listed) && Array.isArray(listed['resources']) ? (listed['resources'] as readonly object[]) : [];
        return members.map((member) => ({ ...metadata, ...member })) as unknown as readonly ListedResource[];
      },
    }),
    read: async (found: Readonly<Record<string, string>>, uri: string, ctx: CallContext) =>
      contentsOf(name, await called(table, 'resources/read', ctx, (extra) => readCallback(new URL(uri), found, extra))),
    listing: () => present({ name, uriTemplate: uriTemplate.toString(), ...metadata }),
  };
}

function contentsOf(name: string, result: unknown): readonly ResourceContents[] {
  const contents = isPlainObject(result) ? result['contents'] : undefined;
  if (!Array.isArray(contents)) throw new TypeError(`The resource "${name}" gave no contents`);
  return contents as readonly ResourceContents[];
}

function needsHandler(kind: 'resource' | 'resource template', name: string, handler: unknown): void {
  if (typeof handler === 'function') return;
  throw new CatalogueError(kind, name, 'has no handler', 'Give a function as the last argument.');
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
