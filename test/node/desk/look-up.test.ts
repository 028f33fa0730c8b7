/** The tools `add`, `ping`, `lookup` and `readDocument`. */
import { describe, it } from 'vitest';
import { openDesk } from './open-desk.ts';

describe('add', () => {
  it.for([
    [2, 3, 5],
    [-4, 1.5, -2.5],
    [0.1, 0.2, 0.30000000000000004],
    [9007199254740990, 1, 9007199254740991],
  ] as const)('gives for %d and %d the sum %d', async ([a, b, sum], { expect }) => {
    expect(await openDesk().call('add', { a, b })).toEqual({
      content: [{ type: 'text', text: `{"sum":${sum}}` }],
      structuredContent: { sum },
    });
  });

  it('refuses a sum that JSON cannot carry', async ({ expect }) => {
    expect(await openDesk().refusal('add', { a: 1e308, b: 1e308 })).toBe(
      'The sum is beyond 1.7976931348623157e308, the largest number there is here. Add smaller numbers.',
    );
  });

  it('refuses a number in quotes', async ({ expect }) => {
    expect(await openDesk().refusal('add', { a: '2', b: 3 })).toBe(
      'Invalid arguments for tool "add": a: Invalid input: expected number, received string',
    );
  });
});

describe('ping', () => {
  it('answers with the time of the world it was given', async ({ expect }) => {
    expect((await openDesk().call('ping')).structuredContent).toEqual({ pong: true, at: '2026-01-02T03:04:05.678Z' });
  });
});

describe('lookup', () => {
  it('gives the role behind an id', async ({ expect }) => {
    expect((await openDesk().call('lookup', { id: 'p-003' })).structuredContent).toEqual({
      id: 'p-003',
      role: 'Protocol writer',
      team: 'Reference',
      timezone: 'Asia/Kolkata',
      documents: ['json-rpc-errors', 'server-sent-events', 'streamable-http'],
    });
  });

  it.for(['p-009', 'P-001', 'constructor', '__proto__'])('refuses "%s" and lists the ids', async (id, { expect }) => {
    expect(await openDesk().refusal('lookup', { id })).toBe(
      `Nobody at the desk has the id "${id}". The ids are: p-001 (Documentation lead), p-002 (Migration writer), p-003 (Protocol writer), p-004 (HTTP writer), p-005 (Security reviewer), p-006 (Tool design writer), p-007 (Platform writer), p-008 (Testing writer).`,
    );
  });

  it('quotes only the beginning of a long id', async ({ expect }) => {
    expect(await openDesk().refusal('lookup', { id: 'x'.repeat(100_000) })).toContain(
      `the id "${'x'.repeat(40)}…". The ids`,
    );
  });

  it('refuses no id at all', async ({ expect }) => {
    expect(await openDesk().refusal('lookup', { id: '' })).toBe(
      'Invalid arguments for tool "lookup": id: Invalid length: Expected >=1 but received 0',
    );
  });
});

describe('readDocument', () => {
  it('gives the document as text and as a resource, then links to related ones', async ({ expect }) => {
    const { content, structuredContent } = await openDesk().call('readDocument', { id: 'pure-tools' });
    expect(structuredContent).toBeUndefined();
    const text = expect.stringMatching(
      /^# Keep tools pure\n\nClock, random numbers [^]* a\ntest of it needs no server\.\n$/,
    ) as string;
    expect(content).toEqual([
      { type: 'text', text },
      { type: 'resource', resource: { uri: 'docs://desk/documents/pure-tools', mimeType: 'text/markdown', text } },
      {
        type: 'resource_link',
        uri: 'docs://desk/documents/stateless-state',
        name: 'stateless-state',
        title: 'Keep state without a session',
        description: 'Where a counter, a cart or a draft lives once no session holds it.',
        mimeType: 'text/markdown',
      },
      {
        type: 'resource_link',
        uri: 'docs://desk/documents/compare-meaning',
        name: 'compare-meaning',
        title: 'Compare meaning, not bytes',
        description: 'Why comparing two servers by their raw answers fails, and what to compare instead.',
        mimeType: 'text/markdown',
      },
    ]);
  });

  it('refuses an unknown id and says where ids are', async ({ expect }) => {
    expect(await openDesk().refusal('readDocument', { id: 'Pure "tools"' })).toBe(
      'No document has the id "Pure \\"tools\\"". Ids are in the hits of the tool search, and docs://desk/index lists them all.',
    );
  });
});
