/**
 * What a document of the desk is, and how it is named on the wire. Pure data and text; finding and listing documents
 * is left to `all.ts` and `search-index.ts`.
 */

/** The three shelves: guides, essays, and reference pages. */
export const CATEGORIES = ['docs', 'blog', 'api'] as const;
export type Category = (typeof CATEGORIES)[number];

export interface DeskDocument {
  /** Lower-case words joined by hyphens; never reused for another document. */
  readonly id: string;
  readonly title: string;
  readonly category: Category;
  /** One sentence: what the reader knows afterwards. It opens the text and stands in listings. */
  readonly summary: string;
  /** Lines of markdown after the title and the summary. */
  readonly body: readonly string[];
  /** Ids of documents worth reading next. */
  readonly related: readonly string[];
}

export const MARKDOWN = 'text/markdown';

/** The resource that lists every document. */
export const INDEX_URI = 'docs://desk/index';

/** The URI that every tool, prompt and resource uses for a document. */
export const documentUri = (id: string): string => `docs://desk/documents/${id}`;

/** The whole document as markdown, as a client reads it. */
export const documentText = ({ title, summary, body }: DeskDocument): string =>
  `# ${title}\n\n${summary}\n\n${body.join('\n')}\n`;

/** Where a heading, a list item or a table row begins, or a paragraph ends. */
const PASSAGE_END = /\n+(?=#|- |\d+\. |\|)|\n{2,}/;
const LINE_MARK = /^(?:#+|-|\d+\.) /;

/** The document without its title and without markdown's marks, passage by passage: what is searched and quoted. */
export function passagesOf({ summary, body }: DeskDocument): readonly string[] {
  const passages = body.join('\n').split(PASSAGE_END);
  const bare = passages.map((passage) =>
    passage.replace(LINE_MARK, '').replaceAll(/[`*|]/g, '').replaceAll(/\s+/g, ' ').trim(),
  );
  return [summary, ...bare.filter((passage) => /[\p{L}\p{N}]/u.test(passage))];
}
