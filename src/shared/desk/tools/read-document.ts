/** The tool `readDocument`, for clients whose model can call tools but not read resources by itself. */
import { z } from 'zod';
import { reply, type ContentBlock } from '../../define/reply.ts';
import { defineTool } from '../../define/tool.ts';
import { findDocument } from '../documents/all.ts';
import { documentText, documentUri, INDEX_URI, MARKDOWN } from '../documents/document.ts';
import { noSuchDocument } from '../refusal.ts';

export const readDocument = defineTool({
  name: 'readDocument',
  title: 'Read a document',
  description: [
    'Returns one whole document as an embedded markdown resource of about 200 words, followed by links to related',
    `documents. Takes the id of a hit of search, or one listed by the resource ${INDEX_URI}. To find a document`,
    'by its subject use search first.',
  ].join(' '),
  input: z.object({
    id: z.string().min(1).max(100).describe('Id of the document, for example session-ids.'),
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  run: ({ id }) => {
    const document = findDocument(id);
    if (document === undefined) return reply.error(noSuchDocument(id));
    return reply.blocks(
      { type: 'resource', resource: { uri: documentUri(id), mimeType: MARKDOWN, text: documentText(document) } },
      ...document.related.flatMap(linkTo),
    );
  },
});

function linkTo(id: string): readonly ContentBlock[] {
  const document = findDocument(id);
  if (document === undefined) return [];
  const { title, summary } = document;
  return [{ type: 'resource_link', uri: documentUri(id), name: id, title, description: summary, mimeType: MARKDOWN }];
}
