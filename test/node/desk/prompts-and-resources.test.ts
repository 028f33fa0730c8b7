/** The prompt, the resources and the completions of the desk, through the one function that answers every lane. */
import { describe, it } from 'vitest';
import { DOCUMENTS } from '../../../examples/desk/documents/all.ts';
import { openDesk } from './open-desk.ts';

const REF = { type: 'ref/prompt', name: 'summarizeDocument' } as const;
const TEMPLATE = { type: 'ref/resource', uri: 'docs://desk/documents/{id}' } as const;

async function result(method: Parameters<ReturnType<typeof openDesk>['ask']>[0], params: unknown) {
  const answer = await openDesk().ask(method, params);
  if (answer.kind !== 'result') throw new TypeError(JSON.stringify(answer));
  return answer.result;
}

describe('summarizeDocument', () => {
  it('asks for a summary and carries the document', async ({ expect }) => {
    const got = await result('prompts/get', {
      name: 'summarizeDocument',
      arguments: { id: 'http-methods', audience: 'newcomer' },
    });
    expect(got).toEqual({
      description: 'Asks for a summary of one document of the desk, written for a given audience.',
      messages: [
        {
          role: 'user',
          content: {
            type: 'text',
            text: 'Summarize the document "HTTP methods: safe and idempotent" in at most five sentences for somebody who is new to the subject: explain each term when it first comes up. Use only what the document says.',
          },
        },
        {
          role: 'user',
          content: {
            type: 'resource',
            resource: {
              uri: 'docs://desk/documents/http-methods',
              mimeType: 'text/markdown',
              text: expect.stringMatching(/^# HTTP methods: safe and idempotent\n/) as string,
            },
          },
        },
      ],
    });
  });

  it('writes for a developer where no audience is named', async ({ expect }) => {
    const got = await result('prompts/get', { name: 'summarizeDocument', arguments: { id: 'http-methods' } });
    expect(JSON.stringify(got)).toContain('for a developer who will write code today: keep names,');
  });

  it.for([
    [
      { id: 'nope' },
      'id: No document has the id "nope". Ids are in the hits of the tool search, and docs://desk/index lists them all.',
    ],
    [
      { id: '' },
      'id: No document has the id "". Ids are in the hits of the tool search, and docs://desk/index lists them all.',
    ],
    [{}, 'id: Invalid input: expected string, received undefined'],
    [
      { id: 'http-methods', audience: 'cat' },
      'audience: Invalid option: expected one of "newcomer"|"developer"|"operator"|"manager"',
    ],
  ] as const)('refuses %j', async ([args, why], { expect }) => {
    expect(await openDesk().ask('prompts/get', { name: 'summarizeDocument', arguments: args })).toEqual({
      kind: 'error',
      verdict: 'invalid_arguments',
      error: { code: -32602, message: `Invalid arguments for prompt "summarizeDocument": ${why}` },
    });
  });

  it.for([
    ['id', 'http', ['http-methods', 'http-status-codes']],
    ['audience', '', ['newcomer', 'developer', 'operator', 'manager']],
    ['audience', 'DE', ['developer']],
  ] as const)('completes the argument %s from "%s"', async ([name, value, values], { expect }) => {
    const { completion } = await result('completion/complete', { ref: REF, argument: { name, value } });
    expect(completion).toEqual({ values, total: values.length, hasMore: false });
  });

  it('lists its arguments', async ({ expect }) => {
    const { prompts } = await result('prompts/list', {});
    expect(prompts).toEqual([
      {
        name: 'summarizeDocument',
        title: 'Summarize a document',
        description: 'Asks for a summary of one document of the desk, written for a given audience.',
        arguments: [
          { name: 'id', description: 'Id of the document, for example session-ids.', required: true },
          {
            name: 'audience',
            description: 'Who reads the summary: newcomer, developer, operator or manager. A developer where left out.',
            required: false,
          },
        ],
      },
    ]);
  });
});

describe('the resources', () => {
  it('list the index and every document, with true sizes', async ({ expect }) => {
    const { resources } = (await result('resources/list', {})) as { resources: { uri: string; size: number }[] };
    expect(resources).toHaveLength(25);
    expect(resources[0]).toMatchObject({ uri: 'docs://desk/index', name: 'index', mimeType: 'text/markdown' });
    expect(resources[1]).toMatchObject({
      uri: 'docs://desk/documents/migrate-from-mcp-agent',
      name: 'migrate-from-mcp-agent',
      title: 'Move from McpAgent to createMcpHandler',
      mimeType: 'text/markdown',
    });
    for (const { uri, size } of resources) {
      const { contents } = (await result('resources/read', { uri })) as { contents: { uri: string; text: string }[] };
      expect(contents).toHaveLength(1);
      expect([contents[0]?.uri, Buffer.byteLength(contents[0]?.text ?? '')]).toEqual([uri, size]);
    }
  });

  it('give a document as markdown', async ({ expect }) => {
    expect(await result('resources/read', { uri: 'docs://desk/documents/see-it-fail' })).toEqual({
      contents: [
        {
          uri: 'docs://desk/documents/see-it-fail',
          mimeType: 'text/markdown',
          text: expect.stringMatching(/^# A test you have never seen fail\n\nGreen is only evidence /) as string,
        },
      ],
    });
  });

  it.for(['docs://desk/documents/nope', 'docs://desk/documents/__proto__'])(
    'do not know %s',
    async (uri, { expect }) => {
      expect(await openDesk().ask('resources/read', { uri })).toEqual({
        kind: 'error',
        verdict: 'rpc_error',
        error: { code: -32602, message: `Resource not found: ${uri}`, data: { uri } },
      });
    },
  );

  it('complete the id in the template', async ({ expect }) => {
    const { completion } = await result('completion/complete', {
      ref: TEMPLATE,
      argument: { name: 'id', value: 'co' },
    });
    expect(completion).toEqual({
      values: ['compare-meaning', 'conditional-requests', 'cors-preflight'],
      total: 3,
      hasMore: false,
    });
  });

  it('are where the tools say they are', async ({ expect }) => {
    expect(DOCUMENTS.length).toBeGreaterThan(0);
    for (const { id } of DOCUMENTS) {
      const [text, block] = (await openDesk().call('readDocument', { id })).content;
      const { contents } = (await result('resources/read', { uri: `docs://desk/documents/${id}` })) as {
        contents: unknown[];
      };
      expect(block).toEqual({ type: 'resource', resource: contents[0] });
      expect(text).toEqual({ type: 'text', text: (contents[0] as { text: string }).text });
    }
  });
});
