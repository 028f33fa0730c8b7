/**
 * The examples of the agents documentation as its readers write them: registrations on a server of SDK v1. The same
 * function registers on the class's own server, and on the catalogue's.
 */
import { ResourceTemplate, type McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { z } from 'zod';

export interface DocumentedProps extends Record<string, unknown> {
  readonly login?: string;
  readonly permissions?: readonly string[];
}

const CITIES: Readonly<Record<string, string>> = { paris: 'rainy', oslo: 'snowy' };
const BOOKS = ['A tale', 'Another tale', 'The end', 'The start'] as const;
/** One pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export function registerDocumented(
  server: McpServer,
  { env, props }: { readonly env: { readonly GREETING: string }; readonly props: DocumentedProps | undefined },
): void {
  server.tool('add', { a: z.number(), b: z.number() }, async ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }));

  server.registerTool(
    'lookup',
    { description: 'The weather of a city.', inputSchema: { city: z.string().describe('A city') } },
    async ({ city }) => {
      const weather = CITIES[city.toLowerCase()];
      if (weather === undefined) {
        return { content: [{ type: 'text', text: `There is no city called ${city}.` }], isError: true };
      }
      return { content: [{ type: 'text', text: weather }] };
    },
  );

  server.registerTool(
    'search',
    {
      title: 'Search',
      description: 'Searches books.',
      inputSchema: {
        query: z.string().min(1).max(40),
        limit: z.number().int().min(1).max(3).default(2),
        order: z.enum(['asc', 'desc']).default('asc'),
      },
      outputSchema: { found: z.array(z.string()), total: z.number() },
      annotations: { readOnlyHint: true },
    },
    async ({ query, limit, order }) => {
      const all = BOOKS.filter((title) => title.toLowerCase().includes(query.toLowerCase()));
      const sorted = order === 'asc' ? all : [...all].toReversed();
      const found = { found: sorted.slice(0, limit), total: all.length };
      return { content: [{ type: 'text', text: JSON.stringify(found) }], structuredContent: found };
    },
  );

  server.tool('picture', 'A picture and a note.', async () => ({
    content: [
      { type: 'image', data: PNG, mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'note://1', mimeType: 'text/plain', text: 'A note.' } },
    ],
  }));

  server.tool('greet', 'Greets the caller.', { readOnlyHint: true }, async () => ({
    content: [{ type: 'text', text: `${env.GREETING}, ${props?.login ?? 'stranger'}!` }],
  }));

  if (props?.permissions?.includes('admin') === true) {
    server.tool('restart', 'For administrators.', async () => ({ content: [{ type: 'text', text: 'Restarted.' }] }));
  }

  server.registerPrompt(
    'review',
    {
      title: 'Review',
      description: 'Asks for a review.',
      argsSchema: {
        language: completable(z.string(), (typed) => ['typescript', 'python'].filter((one) => one.startsWith(typed))),
        tone: z.string().optional(),
      },
    },
    ({ language, tone }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `Review this ${language}, ${tone ?? 'kindly'}.` } }],
    }),
  );

  server.resource('readme', 'docs://readme', { mimeType: 'text/plain' }, async (uri) => ({
    contents: [{ uri: uri.href, text: 'Read me.' }],
  }));

  server.registerResource(
    'book',
    new ResourceTemplate('books://{number}', {
      list: async () => ({ resources: BOOKS.map((name, index) => ({ name, uri: `books://${index}` })) }),
      complete: { number: (typed) => ['0', '1', '2', '3'].filter((one) => one.startsWith(typed)) },
    }),
    { title: 'A book', mimeType: 'text/plain' },
    async (uri, { number }) => ({ contents: [{ uri: uri.href, text: BOOKS[Number(number)] ?? 'No such book.' }] }),
  );
}
