/** The tool `lookup`. Its schemas are Valibot's: a catalogue may mix libraries. */
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { defineTool, reply } from 'hybrid-mcp/define';
import { findMember, MEMBERS } from '../directory.ts';
import { quoted } from '../refusal.ts';

const described = (text: string) => v.pipe(v.string(), v.description(text));

export const lookup = defineTool({
  name: 'lookup',
  title: 'Look up a role of the desk',
  description: [
    'Looks up one person of the documentation desk by id and returns their role, team, time zone and the',
    'documents they look after. People are known by role, not by name, and one call gives one of them. To find a',
    'document by its subject use search.',
  ].join(' '),
  // No longest id: Valibot counts UTF-16 units where JSON Schema counts characters, and would refuse what is listed.
  input: toStandardJsonSchema(
    v.object({
      id: v.pipe(
        v.string(),
        v.minLength(1),
        v.description('Id of the person: p- and three digits, from p-001 to p-008.'),
      ),
    }),
  ),
  output: toStandardJsonSchema(
    v.strictObject({
      id: described('The id that was asked for.'),
      role: described('What the person does, for example Documentation lead.'),
      team: described('Editorial, Guides or Reference.'),
      timezone: described('IANA name, for example Asia/Tokyo.'),
      documents: v.pipe(v.array(v.string()), v.description('Ids of the documents; pass one to readDocument.')),
    }),
  ),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  run: ({ id }) => {
    const member = findMember(id);
    if (member !== undefined) return reply.structured({ ...member });
    const known = MEMBERS.map((each) => `${each.id} (${each.role})`).join(', ');
    return reply.error(`Nobody at the desk has the id ${quoted(id)}. The ids are: ${known}.`);
  },
});
