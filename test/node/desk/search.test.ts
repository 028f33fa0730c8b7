/** The tool `search`: ranking, limits, categories, and what it does with queries that match nothing. */
import { describe, it } from 'vitest';
import { openDesk } from './open-desk.ts';

interface Found {
  readonly total: number;
  readonly hits: readonly {
    readonly id: string;
    readonly score: number;
    readonly snippet: string;
    readonly category: string;
  }[];
}

async function find(args: Readonly<Record<string, unknown>>): Promise<Found> {
  const { structuredContent } = await openDesk().call('search', args);
  return structuredContent as unknown as Found;
}

const ids = ({ hits }: Found): readonly string[] => hits.map(({ id }) => id);

describe('search', () => {
  it('gives a hit with everything a caller needs to go on', async ({ expect }) => {
    expect(await openDesk().call('search', { query: 'preflight' })).toEqual({
      content: [{ type: 'text', text: expect.stringContaining('"total":1') as string }],
      structuredContent: {
        total: 1,
        hits: [
          {
            id: 'cors-preflight',
            title: 'CORS and the preflight request',
            category: 'api',
            score: 18.14,
            snippet: 'A JSON content type or a custom header always leads to this preflight.',
            uri: 'docs://desk/documents/cors-preflight',
          },
        ],
      },
    });
  });

  it.for([
    ['session', ['session-ids', 'stateless-state', 'move-sessions-not-requests']],
    ['durable object', ['durable-object-migrations', 'migrate-from-mcp-agent', 'stateless-state']],
    ['cors browser', ['cors-preflight', 'host-and-origin', 'server-sent-events']],
    ['$schema', ['json-schema-listings', 'tool-descriptions', 'docs-next-to-code']],
  ] as const)('ranks the documents for "%s"', async ([query, best], { expect }) => {
    expect(ids(await find({ query, limit: 3 }))).toEqual(best);
  });

  it('forgives a small typo and an unfinished word', async ({ expect }) => {
    expect(ids(await find({ query: 'sesion', limit: 1 }))).toEqual(['session-ids']);
    expect(ids(await find({ query: 'pref', limit: 1 }))).toEqual(['cors-preflight']);
  });

  it('does not care about case', async ({ expect }) => {
    expect(await find({ query: 'CREATEMCPHANDLER' })).toEqual(await find({ query: 'createMcpHandler' }));
    expect(ids(await find({ query: 'createmcphandler' }))).toEqual(['migrate-from-mcp-agent']);
  });

  it('puts the highest score first and settles ties by id', async ({ expect }) => {
    const { hits } = await find({ query: 'client server request answer header', limit: 100 });
    const sorted = hits.toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
    expect(hits.length).toBeGreaterThan(15);
    expect(hits).toEqual(sorted);
    const tied = await find({ query: 'leaves', limit: 2 });
    expect(tied.hits.map(({ id, score }) => [id, score])).toEqual([
      ['move-sessions-not-requests', 3],
      ['tool-annotations', 3],
    ]);
  });

  it('gives ten hits unless told otherwise, and says how many there are', async ({ expect }) => {
    const found = await find({ query: 'client server request answer header' });
    expect([found.hits.length, found.total]).toEqual([10, 23]);
    expect((await find({ query: 'client server request answer header', limit: 1 })).hits).toEqual([found.hits[0]]);
  });

  it('keeps to a category, in the hits and in the total', async ({ expect }) => {
    const found = await find({ query: 'session', category: 'blog' });
    expect([found.total, ids(found)]).toEqual([1, ['move-sessions-not-requests']]);
    const many = await find({ query: 'client server request', category: 'api', limit: 3 });
    expect([many.total, many.hits.map(({ category }) => category)]).toEqual([8, ['api', 'api', 'api']]);
  });

  it.for(['zzzzqq', 'the', '?!', ' '])('finds nothing for "%s", which is a success', async (query, { expect }) => {
    expect(await openDesk().call('search', { query })).toEqual({
      content: [{ type: 'text', text: '{"total":0,"hits":[]}' }],
      structuredContent: { total: 0, hits: [] },
    });
  });

  it('answers the same question the same way every time', async ({ expect }) => {
    const first = await find({ query: 'error code text' });
    for (let round = 0; round < 5; round += 1) expect(await find({ query: 'error code text' })).toEqual(first);
  });

  it('quotes a sentence that has a word of the query, at most 200 characters long', async ({ expect }) => {
    const { hits } = await find({ query: 'idempotent', limit: 2 });
    expect(hits.map(({ snippet }) => snippet)).toEqual([
      'It is idempotent if sending the request twice is meant to have the same effect as sending it once: all safe methods, and PUT and DELETE.',
      'idempotentHint (default false): calling again with the same arguments changes nothing more.',
    ]);
    expect((await find({ query: 'sunset' })).hits[0]?.snippet).toBe(
      'The Deprecation header (RFC 9745) says since when an endpoint is deprecated, the Sunset header (RFC 8594) says when it is expected to stop, and a Link header with the relation successor-version point…',
    );
  });

  it.for([
    ['no query', {}, 'query: Invalid input: expected string, received undefined'],
    ['an empty query', { query: '' }, 'query: Too small: expected string to have >=1 characters'],
    [
      'a query that is too long',
      { query: 'x'.repeat(201) },
      'query: Too big: expected string to have <=200 characters',
    ],
    ['a limit of 0', { query: 'x', limit: 0 }, 'limit: Too small: expected number to be >=1'],
    ['a limit of 101', { query: 'x', limit: 101 }, 'limit: Too big: expected number to be <=100'],
    ['a limit of 1.5', { query: 'x', limit: 1.5 }, 'limit: Invalid input: expected int, received number'],
    [
      'an unknown category',
      { query: 'x', category: 'news' },
      'category: Invalid option: expected one of "docs"|"blog"|"api"',
    ],
  ] as const)('refuses %s', async ([, args, why], { expect }) => {
    expect(await openDesk().refusal('search', args)).toBe(`Invalid arguments for tool "search": ${why}`);
  });
});
