/** The prompt of the desk. It carries the document itself, so that a model needs no tool to follow it. */
import { z } from 'zod';
import { definePrompt } from 'hybrid-mcp/define';
import { completeDocumentId, findDocument } from './documents/all.ts';
import { documentText, documentUri, MARKDOWN } from './documents/document.ts';
import { noSuchDocument } from './refusal.ts';

const AUDIENCES = ['newcomer', 'developer', 'operator', 'manager'] as const;
type Audience = (typeof AUDIENCES)[number];

const READER: Readonly<Record<Audience, string>> = {
  newcomer: 'somebody who is new to the subject: explain each term when it first comes up',
  developer: 'a developer who will write code today: keep names, headers and values exactly as they are',
  operator: 'somebody who runs the service: what to watch, in which order to act, how to go back',
  manager: 'somebody who has to decide: what it costs, what it risks, what happens if nothing is done',
};

export const summarizeDocument = definePrompt({
  name: 'summarizeDocument',
  title: 'Summarize a document',
  description: 'Asks for a summary of one document of the desk, written for a given audience.',
  args: z.object({
    id: z
      .string()
      .describe('Id of the document, for example session-ids.')
      .transform((id, ctx) => {
        const document = findDocument(id);
        if (document !== undefined) return document;
        ctx.addIssue({ code: 'custom', message: noSuchDocument(id) });
        return z.NEVER;
      }),
    audience: z
      .enum(AUDIENCES)
      .optional()
      .describe('Who reads the summary: newcomer, developer, operator or manager. A developer where left out.'),
  }),
  complete: {
    id: completeDocumentId,
    audience: (typed) => AUDIENCES.filter((audience) => audience.startsWith(typed.toLowerCase())),
  },
  messages: ({ id: document, audience = 'developer' }) => {
    const task = `Summarize the document "${document.title}" in at most five sentences for ${READER[audience]}.`;
    const resource = { uri: documentUri(document.id), mimeType: MARKDOWN, text: documentText(document) };
    return [
      { role: 'user', content: { type: 'text', text: `${task} Use only what the document says.` } },
      { role: 'user', content: { type: 'resource', resource } },
    ];
  },
});
