/**
 * Full-text search over the documents. The index is built on the first search of an isolate. The same query always
 * gives the same hits in the same order: scores are rounded before they are compared, and ties go by id.
 */
import MiniSearch from 'minisearch';
import { DOCUMENTS, findDocument } from './documents/all.ts';
import { documentUri, passagesOf, type Category, type DeskDocument } from './documents/document.ts';

export interface Hit {
  readonly id: string;
  readonly title: string;
  readonly category: Category;
  readonly score: number;
  readonly snippet: string;
  readonly uri: string;
}

export interface Found {
  /** How many documents match, of which `hits` may be the first few. */
  readonly total: number;
  readonly hits: readonly Hit[];
}

/** Words that stand in nearly every text: as search terms they would match everything. */
const STOP_WORDS = new Set(
  'a an and are as at be by can do for from how i in is it of on or that the this to what when which with'.split(' '),
);

/** Long enough to show why a document matches, short enough for a hundred hits. */
const SNIPPET_CHARS = 200;

// Unlike the library's own, this cuts at symbols too, such as the dollar sign of "$schema".
const wordsOf = (text: string): readonly string[] => text.toLowerCase().split(/[^\p{L}\p{N}]+/u);

let built: MiniSearch<{ id: string; title: string; text: string }> | undefined;

function index(): MiniSearch<{ id: string; title: string; text: string }> {
  if (built !== undefined) return built;
  built = new MiniSearch({
    fields: ['title', 'text'],
    tokenize: (text) => [...wordsOf(text)],
    processTerm: (word) => (word === '' || STOP_WORDS.has(word) ? null : word),
    searchOptions: {
      boost: { title: 3 },
      prefix: (term) => term.length >= 3,
      // Short words have too many neighbours: "get" is not "set".
      fuzzy: (term) => (term.length >= 5 ? 0.2 : false),
    },
  });
  built.addAll(
    DOCUMENTS.map((document) => ({ id: document.id, title: document.title, text: passagesOf(document).join('\n') })),
  );
  return built;
}

/** The documents that match any word of the query, best first, of one category or of all. */
export function searchDocuments(query: string, limit: number, category: Category | undefined): Found {
  const hits: Hit[] = [];
  for (const result of index().search(query)) {
    const document = findDocument(String(result.id));
    if (document === undefined || (category !== undefined && document.category !== category)) continue;
    hits.push({
      id: document.id,
      title: document.title,
      category: document.category,
      score: Math.round(result.score * 100) / 100,
      snippet: snippetOf(document, result.terms),
      uri: documentUri(document.id),
    });
  }
  hits.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
  return { total: hits.length, hits: hits.slice(0, limit) };
}

/** The first sentence with one of the words that matched; the summary where only the title did. */
function snippetOf(document: DeskDocument, terms: readonly string[]): string {
  const sentences = passagesOf(document).flatMap((passage) => passage.split(/(?<=[.?!]) /));
  const sentence = sentences.find((text) => wordsOf(text).some((word) => terms.includes(word))) ?? document.summary;
  return sentence.length > SNIPPET_CHARS ? `${sentence.slice(0, SNIPPET_CHARS - 1)}…` : sentence;
}
