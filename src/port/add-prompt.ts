/** Prompts of a registration. */
import { CatalogueError } from '../shared/catalogue/error.ts';
import type { AnyPrompt, Completer, PromptMessage } from '../shared/define/prompt.ts';
import type { AsWritten, PromptResult } from '../shared/define/registrations.ts';
import { isPlainObject, type JsonObject } from '../shared/json.ts';
import { readSchema } from './schemas.ts';
import { asStandard } from './standard.ts';
import { called, present, register, type Handle, type Handler, type Table } from './table.ts';
import { completerOf } from './template.ts';

/** The second argument of `registerPrompt`. */
export interface PromptConfig {
  readonly title?: string;
  readonly description?: string;
  readonly argsSchema?: unknown;
  readonly icons?: readonly unknown[];
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export function addPrompt(table: Table, name: string, config: PromptConfig, callback: Handler): Handle {
  return register(table, table.prompts, {
    kind: 'prompt',
    key: name,
    keyName: 'name',
    fields: { ...config, callback },
    renamed: {},
    build: (key, fields) => promptOf(table, key, fields as unknown as PromptConfig & { readonly callback: Handler }),
  });
}

const anything = asStandard(
  'hybrid-mcp',
  (value) => ({ value }),
  () => ({ type: 'object' }),
);

function promptOf(
  table: Table,
  name: string,
  { title, description, argsSchema, icons, _meta, callback }: PromptConfig & { readonly callback: Handler },
): AnyPrompt & AsWritten {
  if (typeof callback !== 'function') {
    throw new CatalogueError('prompt', name, 'has no handler', 'Give a function as the last argument.');
  }
  const place = { kind: 'prompt', name, part: 'argument' } as const;
  const read = argsSchema === undefined ? undefined : readSchema(argsSchema, place, table.zodThree);
  const complete = Object.fromEntries(
    Object.entries(read?.shape ?? {}).flatMap(([argument, field]) => {
      const completer = completerOf(field);
      return completer === undefined ? [] : [[argument, completing(completer)]];
    }),
  );
  const prompt: AnyPrompt & AsWritten = {
    name,
    title: title ?? name,
    description: description ?? '',
    args: read?.schema ?? anything,
    complete,
    messages: async (args, ctx) => {
      const result = await called(table, 'prompts/get', ctx, (extra) =>
        read === undefined ? callback(extra) : callback(args, extra),
      );
      const messages = isPlainObject(result) ? result['messages'] : undefined;
      if (!Array.isArray(messages)) throw new TypeError(`The prompt "${name}" gave no messages`);
      const { description: told } = result as { readonly description?: string };
      const whole: PromptResult = {
        ...(told !== undefined && { description: told }),
        messages: messages as readonly PromptMessage[],
      };
      return whole as unknown as readonly PromptMessage[];
    },
    listing: () =>
      present({
        name,
        title,
        description,
        arguments: read === undefined ? undefined : argumentsOf(read.json()),
        icons,
        _meta,
      }),
  };
  if (table.isNew('prompt', name)) prompt.listing();
  return prompt;
}

export const completing =
  (completer: (typed: string, context?: { readonly arguments?: Record<string, string> }) => unknown): Completer =>
  async (typed, chosen) =>
    (await completer(typed, { arguments: { ...chosen } })) as readonly string[];

function argumentsOf(schema: JsonObject): readonly JsonObject[] {
  const properties = isPlainObject(schema['properties']) ? schema['properties'] : {};
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(properties).map(([name, field]) =>
    present({
      name,
      description: isPlainObject(field) ? field['description'] : undefined,
      required: required.includes(name),
    }),
  );
}
