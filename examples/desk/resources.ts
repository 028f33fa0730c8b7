/** The documents as MCP resources: one index, and one template for all of them. */
import { defineResource, defineResourceTemplate, type ListedResource } from 'hybrid-mcp/define';
import { completeDocumentId, DOCUMENTS, findDocument, indexText } from './documents/all.ts';
import { documentText, documentUri, INDEX_URI, MARKDOWN } from './documents/document.ts';

const INDEX = indexText();
const bytesOf = (text: string): number => new TextEncoder().encode(text).byteLength;

export const indexResource = defineResource({
  uri: INDEX_URI,
  name: 'index',
  title: 'Index of the documents',
  description: 'Every document of the desk with its id, link and summary, by category.',
  mimeType: MARKDOWN,
  size: bytesOf(INDEX),
  read: () => [{ uri: INDEX_URI, mimeType: MARKDOWN, text: INDEX }],
});

/** Made once: listing resources must not cost more with each request. */
const LISTED: readonly ListedResource[] = DOCUMENTS.map((document) => ({
  uri: documentUri(document.id),
  name: document.id,
  title: document.title,
  description: document.summary,
  size: bytesOf(documentText(document)),
}));

export const documentTemplate = defineResourceTemplate({
  uriTemplate: documentUri('{id}'),
  name: 'document',
  title: 'A document by id',
  description: `One document as markdown. The ids are listed in ${INDEX_URI}.`,
  mimeType: MARKDOWN,
  list: () => LISTED,
  complete: { id: completeDocumentId },
  read: ({ id }, uri) => {
    const document = findDocument(id ?? '');
    return document === undefined ? undefined : [{ uri, mimeType: MARKDOWN, text: documentText(document) }];
  },
});
