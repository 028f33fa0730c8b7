/** Finds and lists the documents. Pure; order is the order of definition, category by category. */
import { REFERENCES } from './api.ts';
import { ESSAYS } from './blog.ts';
import { GUIDES } from './docs.ts';
import { CATEGORIES, documentUri, type Category, type DeskDocument } from './document.ts';

export const DOCUMENTS: readonly DeskDocument[] = [...GUIDES, ...ESSAYS, ...REFERENCES];

const BY_ID: ReadonlyMap<string, DeskDocument> = new Map(DOCUMENTS.map((document) => [document.id, document]));

export const findDocument = (id: string): DeskDocument | undefined => BY_ID.get(id);

/** The ids that begin with what is typed so far, without regard to case, in alphabetical order. */
export function completeDocumentId(typed: string): readonly string[] {
  const prefix = typed.toLowerCase();
  return [...BY_ID.keys()].filter((id) => id.startsWith(prefix)).toSorted();
}

const HEADINGS: Readonly<Record<Category, string>> = { docs: 'Guides', blog: 'Essays', api: 'Reference' };

/** Every document with its id, link and summary, as markdown. */
export function indexText(): string {
  const shelf = (category: Category): string => {
    const entries = DOCUMENTS.filter((document) => document.category === category);
    return [
      `## ${HEADINGS[category]} (category "${category}")`,
      '',
      ...entries.map(({ id, title, summary }) => `- [${title}](${documentUri(id)}), id \`${id}\`: ${summary}`),
    ].join('\n');
  };
  return `# Documents of the desk\n\n${CATEGORIES.map(shelf).join('\n\n')}\n`;
}
