/** What is not a tool: prompts, resources and completions, as the clients of both SDKs get them from each lane. */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { startDevServer, type DevServer } from '../../scripts/lib/dev-server.ts';
import { connectV1, connectV2 } from './support/clients.ts';

const INDEX = 'docs://desk/index';
const DOCUMENT = 'docs://desk/documents/session-ids';

let server: DevServer;
beforeAll(async () => {
  server = await startDevServer();
});
afterAll(() => server.stop());

const LANES = [
  { lane: 'legacy', connect: () => connectV1(`${server.url}/legacy/mcp`) },
  { lane: 'compat', connect: () => connectV1(`${server.url}/mcp`) },
  { lane: 'compat, SDK v2', connect: () => connectV2(`${server.url}/mcp`, 'legacy') },
  { lane: 'modern', connect: () => connectV2(`${server.url}/mcp`, { pin: '2026-07-28' }) },
] as const;

describe.for(LANES)('on $lane', ({ connect }) => {
  it('resources and their template are listed and read', async ({ expect }) => {
    await using it = await connect();
    const { resources } = await it.client.listResources();
    expect(resources[0]).toMatchObject({ uri: INDEX, name: 'index', mimeType: 'text/markdown' });
    expect(resources.map(({ uri }) => uri)).toContain(DOCUMENT);
    expect((await it.client.listResourceTemplates()).resourceTemplates).toMatchObject([
      { uriTemplate: 'docs://desk/documents/{id}', name: 'document' },
    ]);
    const read = async (uri: string): Promise<unknown> => (await it.client.readResource({ uri })).contents;
    expect(await read(INDEX)).toMatchObject([
      { uri: INDEX, mimeType: 'text/markdown', text: expect.stringMatching(/^# Documents of the desk\n/) },
    ]);
    expect(await read(DOCUMENT)).toMatchObject([
      { uri: DOCUMENT, mimeType: 'text/markdown', text: expect.stringMatching(/^# /) },
    ]);
  });

  it('a resource that does not exist is an error with its URI', async ({ expect }) => {
    await using it = await connect();
    const uri = 'docs://desk/documents/nope';
    await expect(it.client.readResource({ uri })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/Resource not found: docs:\/\/desk\/documents\/nope$/),
      data: { uri },
    });
  });

  it('the prompt is listed, and carries the document that it asks about', async ({ expect }) => {
    await using it = await connect();
    const { prompts } = await it.client.listPrompts();
    expect(prompts.map(({ name, arguments: args }) => [name, args?.map((each) => [each.name, each.required])])).toEqual(
      [
        [
          'summarizeDocument',
          [
            ['id', true],
            ['audience', false],
          ],
        ],
      ],
    );
    const { messages } = await it.client.getPrompt({
      name: 'summarizeDocument',
      arguments: { id: 'session-ids', audience: 'manager' },
    });
    expect(messages).toMatchObject([
      { role: 'user', content: { type: 'text', text: expect.stringContaining('what it costs, what it risks') } },
      { role: 'user', content: { type: 'resource', resource: { uri: DOCUMENT, mimeType: 'text/markdown' } } },
    ]);
  });

  it('an argument of the prompt and a variable of the template are completed', async ({ expect }) => {
    await using it = await connect();
    const prompt = { type: 'ref/prompt', name: 'summarizeDocument' } as const;
    const template = { type: 'ref/resource', uri: 'docs://desk/documents/{id}' } as const;
    const audience = await it.client.complete({ ref: prompt, argument: { name: 'audience', value: 'm' } });
    expect(audience.completion).toEqual({ values: ['manager'], total: 1, hasMore: false });
    const id = await it.client.complete({ ref: template, argument: { name: 'id', value: 'ser' } });
    expect(id.completion).toEqual({ values: ['server-sent-events'], total: 1, hasMore: false });
  });
});
