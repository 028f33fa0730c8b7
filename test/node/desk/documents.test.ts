/** The corpus: what holds for every document, so that tools and resources may rely on it. */
import { describe, it } from 'vitest';
import { MEMBERS } from '../../../examples/desk/directory.ts';
import { completeDocumentId, DOCUMENTS, findDocument, indexText } from '../../../examples/desk/documents/all.ts';
import { documentText, documentUri, passagesOf } from '../../../examples/desk/documents/document.ts';
import { searchDocuments } from '../../../examples/desk/search-index.ts';

const ids = DOCUMENTS.map(({ id }) => id);

describe('the documents', () => {
  it('are 24, eight of each category, each with its own id', ({ expect }) => {
    const perCategory = Object.groupBy(DOCUMENTS, ({ category }) => category);
    expect([perCategory.docs?.length, perCategory.blog?.length, perCategory.api?.length]).toEqual([8, 8, 8]);
    expect(new Set(ids).size).toBe(24);
  });

  it('have ids that stand in a URI as they are', ({ expect }) => {
    expect(ids.filter((id) => !/^[a-z]+(-[a-z]+)*$/.test(id))).toEqual([]);
    expect(ids.map(documentUri).filter((uri) => new URL(uri).toString() !== uri)).toEqual([]);
  });

  it('have 100 to 250 words each', ({ expect }) => {
    const words = DOCUMENTS.map(
      (document) => [document.id, documentText(document).trim().split(/\s+/).length] as const,
    );
    expect(words.filter(([, count]) => count < 100 || count > 250)).toEqual([]);
  });

  it('point only at other documents', ({ expect }) => {
    const dangling = DOCUMENTS.flatMap(({ id, related }) =>
      related.filter((other) => other === id || !ids.includes(other)),
    );
    expect(dangling).toEqual([]);
    expect(DOCUMENTS.filter(({ related }) => related.length === 0)).toEqual([]);
  });

  it('begin with their title and their summary', ({ expect }) => {
    const document = findDocument('session-ids');
    expect(document && documentText(document).split('\n').slice(0, 4)).toEqual([
      '# What a session id promises',
      '',
      'How MCP clients and servers use the Mcp-Session-Id header, and what goes wrong with it.',
      '',
    ]);
  });

  it('are searched without their markdown', ({ expect }) => {
    const document = findDocument('json-rpc-errors');
    expect(document && passagesOf(document).slice(2, 5)).toEqual([
      'code meaning',
      '-32700 parse error: not JSON',
      '-32600 invalid request: JSON, but no JSON-RPC message',
    ]);
    expect(DOCUMENTS.flatMap(passagesOf).filter((passage) => /[`*|#]|\n|^- /.test(passage))).toEqual([]);
  });

  it('keep a number at the beginning of a wrapped line in its sentence', ({ expect }) => {
    const passages = passagesOf({
      id: 'x',
      title: 'X',
      category: 'docs',
      summary: 'S.',
      body: ['It resolves to', '127.0.0.1 then.', '', '1. One', '   more.', '2. Two.'],
      related: [],
    });
    expect(passages).toEqual(['S.', 'It resolves to 127.0.0.1 then.', 'One more.', 'Two.']);
  });

  it('can each be found by their own title', ({ expect }) => {
    const missed = DOCUMENTS.filter(({ id, title }) => searchDocuments(title, 1, undefined).hits[0]?.id !== id);
    expect(missed.map(({ id }) => id)).toEqual([]);
  });

  it('each have exactly one role that looks after them', ({ expect }) => {
    expect(MEMBERS.flatMap(({ documents }) => documents).toSorted()).toEqual(ids.toSorted());
  });

  it('are all in the index, under their category', ({ expect }) => {
    const text = indexText();
    expect(ids.filter((id) => !text.includes(`](docs://desk/documents/${id}), id \`${id}\`: `))).toEqual([]);
    expect(text.match(/^## .*$/gm)).toEqual([
      '## Guides (category "docs")',
      '## Essays (category "blog")',
      '## Reference (category "api")',
    ]);
  });

  it('complete by prefix, without regard to case, in alphabetical order', ({ expect }) => {
    expect(completeDocumentId('S')).toEqual([
      'see-it-fail',
      'server-sent-events',
      'session-ids',
      'shadow-traffic',
      'stateless-state',
      'streamable-http',
    ]);
    expect(completeDocumentId('')).toHaveLength(24);
    expect(completeDocumentId('nothing-like-it')).toEqual([]);
  });
});

describe('the directory', () => {
  it('has the ids p-001 to p-008 and real time zones', ({ expect }) => {
    expect(MEMBERS.map(({ id }) => id)).toEqual([
      'p-001',
      'p-002',
      'p-003',
      'p-004',
      'p-005',
      'p-006',
      'p-007',
      'p-008',
    ]);
    for (const { timezone } of MEMBERS)
      expect(() => new Intl.DateTimeFormat('en', { timeZone: timezone })).not.toThrow();
  });
});
