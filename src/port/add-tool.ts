/** Tools of a registration: listed as their author wrote them, run by the catalogue's pipeline. */
import { CatalogueError } from '../shared/catalogue/error.ts';
import type { AsWritten } from '../shared/define/registrations.ts';
import type { AnyTool, Icon } from '../shared/define/tool.ts';
import type { ToolReply } from '../shared/define/reply.ts';
import type { JsonObject } from '../shared/json.ts';
import { readSchema, type ReadSchema } from './schemas.ts';
import { asStandard } from './standard.ts';
import { called, present, register, type Handle, type Handler, type Table } from './table.ts';

/** The second argument of `registerTool`. */
export interface ToolConfig {
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly icons?: readonly unknown[];
  readonly _meta?: Readonly<Record<string, unknown>>;
}

const CONFIG_KEYS = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations', 'icons', '_meta'];

/** As both SDKs list a tool without a schema. */
const NO_INPUT = { type: 'object', properties: {} } as const satisfies JsonObject;

const anything: ReadSchema = {
  schema: asStandard(
    'hybrid-mcp',
    (value) => ({ value }),
    () => NO_INPUT,
  ),
  json: () => NO_INPUT,
  shape: {},
};

export function addTool(table: Table, name: string, config: ToolConfig, handler: Handler): Handle {
  const foreign = Object.entries(config).find(([key, value]) => value !== undefined && !CONFIG_KEYS.includes(key));
  if (foreign !== undefined) {
    throw new CatalogueError(
      'tool',
      name,
      `has the key "${foreign[0]}", which is not carried`,
      `Remove it, or leave the tool hosted. Known keys: ${CONFIG_KEYS.join(', ')}.`,
    );
  }
  return register(table, table.tools, {
    kind: 'tool',
    key: name,
    keyName: 'name',
    fields: { ...config, handler },
    renamed: { paramsSchema: 'inputSchema', callback: 'handler' },
    build: (key, fields) => toolOf(table, key, fields as unknown as ToolFields),
  });
}

type ToolFields = ToolConfig & { readonly handler: Handler };

function toolOf(table: Table, name: string, fields: ToolFields): AnyTool & AsWritten {
  const { title, description, annotations, icons, _meta, inputSchema, outputSchema, handler } = fields;
  if (typeof handler !== 'function') {
    const remedy = 'Give a function as the last argument; a task handler has to stay hosted.';
    throw new CatalogueError('tool', name, 'has no handler', remedy);
  }
  const read = (given: unknown, part: 'input' | 'output'): ReadSchema =>
    readSchema(given, { kind: 'tool', name, part }, table.zodThree);
  const input = inputSchema === undefined ? anything : read(inputSchema, 'input');
  const output = outputSchema === undefined ? undefined : read(outputSchema, 'output');
  const takesInput = inputSchema !== undefined;
  const tool: AnyTool & AsWritten = {
    kind: 'plain',
    name,
    title: title ?? name,
    description: description ?? '',
    input: input.schema,
    ...(output !== undefined && { output: output.schema }),
    annotations: hintsOf(annotations),
    ...(icons !== undefined && { icons: icons as readonly Icon[] }),
    ...(_meta !== undefined && { _meta: _meta as JsonObject }),
    run: (args, ctx) =>
      called(table, 'tools/call', ctx, (extra) => (takesInput ? handler(args, extra) : handler(extra))) as ToolReply,
    listing: () =>
      present({
        name,
        title,
        description,
        inputSchema: input.json(),
        outputSchema: output?.json(),
        annotations,
        icons,
        _meta,
      }),
  };
  if (table.isNew('tool', name)) tool.listing();
  return tool;
}

/** What an absent hint means (spec 2025-11-25, `ToolAnnotations`). */
const hintsOf = ({
  readOnlyHint,
  destructiveHint,
  idempotentHint,
  openWorldHint,
}: Readonly<Record<string, unknown>> = {}): AnyTool['annotations'] => ({
  readOnlyHint: readOnlyHint === true,
  destructiveHint: destructiveHint !== false,
  idempotentHint: idempotentHint === true,
  openWorldHint: openWorldHint !== false,
});
