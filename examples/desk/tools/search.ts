/** The tool `search`. */
import { z } from 'zod';
import { defineTool, reply } from 'hybrid-mcp/define';
import { CATEGORIES } from '../documents/document.ts';
import { searchDocuments } from '../search-index.ts';

const category = z.enum(CATEGORIES);

export const search = defineTool({
  name: 'search',
  title: 'Search the documents',
  description: [
    'Finds documents about running and migrating MCP servers, HTTP basics and technical writing, by words in',
    'their title and text. Returns the best matches first, each with its id, a snippet and a score; scores',
    'compare hits of one query only. Matches any of the words, also as a beginning or with a small typo; it does',
    'not understand phrases, AND or NOT, and ignores words such as "the". No match is a success with total 0: try',
    'fewer or other words. Read a whole document with readDocument.',
  ].join(' '),
  input: z.object({
    query: z.string().min(1).max(200).describe('Words to look for, for example "session id expired".'),
    limit: z.int().min(1).max(100).default(10).describe('Most hits to return. 10 where left out.'),
    category: category
      .optional()
      .describe('Only this category: docs are guides, blog are essays, api are reference pages. All where left out.'),
  }),
  output: z.object({
    total: z.int().min(0).describe('How many documents match; more than there are hits where the limit cut them.'),
    hits: z
      .array(
        z.object({
          id: z.string().describe('Pass it to readDocument.'),
          title: z.string().describe('Title of the document.'),
          category: category.describe('Its category.'),
          score: z.number().describe('Higher is better.'),
          snippet: z.string().describe('The first sentence that matches.'),
          uri: z.string().describe('The same document as a resource.'),
        }),
      )
      .describe('Best first.'),
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  run: ({ query, limit, category: only }) => reply.structured({ ...searchDocuments(query, limit, only) }),
});
