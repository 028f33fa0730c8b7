/** The tool `readDocument`, for clients whose model can call tools but not read resources by itself. */
import { z } from 'zod';
import { type ContentBlock, defineTool, reply } from 'hybrid-mcp/define';
import { findDocument } from '../documents/all.ts';
import { documentText, documentUri, INDEX_URI, MARKDOWN } from '../documents/document.ts';
import { noSuchDocument } from '../refusal.ts';

export const readDocument = defineTool({
  name: 'readDocument',
  title: 'Read a document',
  description: [
    'Returns one whole document of about 200 words as markdown text and as an embedded resource, followed by links to',
    `related documents. Takes the id of a hit of search, or one listed by the resource ${INDEX_URI}. To find a`,
    'document by its subject use search first.',
  ].join(' '),
  input: z.object({
    id: z.string().min(1).max(100).describe('Id of the document, for example session-ids.'),
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  run: ({ id }) => {
    const document = findDocument(id);
    if (document === undefined) return reply.error(noSuchDocument(id));
    const text = documentText(document);
    return reply.blocks(
      // Many clients show their model text blocks only; the resource is for those that can keep or cite it.
      { type: 'text', text },
      { type: 'resource', resource: { uri: documentUri(id), mimeType: MARKDOWN, text } },
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
