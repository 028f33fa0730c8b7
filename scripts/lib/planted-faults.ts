/**
 * What goes wrong in a server that was rewritten, planted into the answers of a server as it is: each fault changes messages
 * that a client reads, so a comparison could see it. Pure, but for a hang and a crash, which are told as values.
 */

/** A JSON-RPC answer of the server. */
export interface ServerAnswer {
  readonly id: unknown;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** What was asked. */
export interface Asked {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** What has happened until then. */
export interface Before {
  /** The tool that a hang or a crash is about: the first that is called. */
  readonly firstTool: string | undefined;
  /** The result of the call before, of any tool. */
  readonly lastResult: Readonly<Record<string, unknown>> | undefined;
}

/** An answer in its place; the same one where the fault has nothing to change. */
export type Planted = ServerAnswer | 'hang' | 'crash';
type Plant = (answer: ServerAnswer, asked: Asked, before: Before) => Planted;

type Listed = Readonly<Record<string, unknown>> & { readonly name: string };
type Block = Readonly<Record<string, unknown>>;

const withTools =
  (change: (tools: readonly Listed[]) => readonly unknown[]): Plant =>
  (answer, { method }) =>
    method === 'tools/list' && Array.isArray(answer.result?.['tools'])
      ? { ...answer, result: { ...answer.result, tools: change(answer.result['tools'] as readonly Listed[]) } }
      : answer;

const withFirst = (change: (tool: Listed) => unknown): Plant =>
  withTools(([first, ...rest]) => (first === undefined ? rest : [change(first), ...rest]));

const withResult =
  (change: (result: Readonly<Record<string, unknown>>, asked: Asked) => Readonly<Record<string, unknown>>): Plant =>
  (answer, asked) =>
    asked.method === 'tools/call' && answer.result !== undefined
      ? { ...answer, result: change(answer.result, asked) }
      : answer;

const withBlocks = (change: (blocks: readonly Block[], asked: Asked) => readonly Block[]): Plant =>
  withResult((result, asked) =>
    Array.isArray(result['content'])
      ? { ...result, content: change(result['content'] as readonly Block[], asked) }
      : result,
  );

const withText = (change: (text: string) => string): Plant =>
  withBlocks((blocks) =>
    blocks.map((block) => (typeof block['text'] === 'string' ? { ...block, text: change(block['text']) } : block)),
  );

const schemaOf = (
  tool: Listed,
): Readonly<Record<string, unknown>> & { readonly properties: Record<string, unknown> } => {
  const schema = tool['inputSchema'] as Readonly<Record<string, unknown>>;
  return { ...schema, properties: (schema['properties'] ?? {}) as Record<string, unknown> };
};

/** The last member of a list, changed. */
const lastOf =
  (method: string, key: string, change: (entry: Block) => unknown): Plant =>
  (answer, asked) => {
    const given = answer.result?.[key];
    if (asked.method !== method || !Array.isArray(given) || given.length === 0) return answer;
    const entries = given as readonly Block[];
    return {
      ...answer,
      result: { ...answer.result, [key]: [...entries.slice(0, -1), change(entries.at(-1) as Block)] },
    };
  };

/** By the name under which a table shows it. */
export const PLANTED: Readonly<Record<string, Plant>> = {
  'a tool is missing': withTools((tools) => tools.slice(0, -1)),
  'a description is another': withFirst((tool) => ({ ...tool, description: `${String(tool['description'])} Really.` })),
  'an argument is required': withFirst((tool) => {
    const schema = schemaOf(tool);
    return {
      ...tool,
      inputSchema: {
        ...schema,
        properties: { ...schema.properties, extra: { type: 'string' } },
        required: [...((schema['required'] ?? []) as readonly string[]), 'extra'],
      },
    };
  }),
  'a text has a character more': withText((text) => `${text}.`),
  'a text is cut': withText((text) => text.slice(0, 20)),
  'a number is off by one': withText((text) => text.replace(/\d+/, (digits) => String(BigInt(digits) + 1n))),
  'an error is no error': withResult(({ isError: _flag, ...result }) => result),
  'a result is an error': withResult((result) => ({ ...result, isError: true })),
  'a block is missing': withBlocks((blocks) => blocks.slice(0, -1)),
  'wrong at one input of seven': withBlocks((blocks, { params }) =>
    JSON.stringify(params['arguments'] ?? {}).length % 7 === 0
      ? blocks.map((block) => (typeof block['text'] === 'string' ? { ...block, text: `${block['text']}!` } : block))
      : blocks,
  ),
  'one tool never answers': (answer, { method, params }, { firstTool }) =>
    method === 'tools/call' && params['name'] === firstTool ? 'hang' : answer,
  'one tool ends the program': (answer, { method, params }, { firstTool }) =>
    method === 'tools/call' && params['name'] === firstTool ? 'crash' : answer,
  'structured content is missing': withResult(({ structuredContent: _value, ...result }) => result),
  'the answer of the call before': (answer, { method }, { lastResult }) =>
    method === 'tools/call' && answer.result !== undefined && lastResult !== undefined
      ? { ...answer, result: lastResult }
      : answer,
  'a tool has another name': withFirst((tool) => ({ ...tool, name: `${tool.name}_v2` })),
  'an argument is gone': withFirst((tool) => {
    const schema = schemaOf(tool);
    const [gone, ...kept] = Object.keys(schema.properties);
    if (gone === undefined) return tool;
    return {
      ...tool,
      inputSchema: {
        ...schema,
        properties: Object.fromEntries(kept.map((key) => [key, schema.properties[key]])),
        ...(Array.isArray(schema['required']) && { required: schema['required'].filter((key) => key !== gone) }),
      },
    };
  }),
  'the instructions are others': (answer, { method }) =>
    method === 'initialize' && answer.result !== undefined
      ? { ...answer, result: { ...answer.result, instructions: 'Use the other tools.' } }
      : answer,
  'a text is in other letters': withText((text) => text.toUpperCase()),
  'a block comes twice': withBlocks((blocks) => [...blocks, ...blocks.slice(-1)]),
  'an error has another code': (answer) =>
    answer.error === undefined ? answer : { ...answer, error: { ...answer.error, code: answer.error.code - 1 } },
  'a prompt has another title': lastOf('prompts/list', 'prompts', (prompt) => ({ ...prompt, title: 'Another' })),
  'a resource has another type': lastOf('resources/list', 'resources', (one) => ({ ...one, mimeType: 'text/other' })),
};
