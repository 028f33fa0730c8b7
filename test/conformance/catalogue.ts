/** What the official conformance suite expects of a server under test, as one catalogue. For tests only. */
import { createCatalogue } from 'hybrid-mcp/define';
import { prompts } from './prompts.ts';
import { questions } from './questions.ts';
import { resources, templates } from './resources.ts';
import { tools } from './tools.ts';

export const conformanceCatalogue = createCatalogue({
  info: { name: 'conformance', title: 'Conformance', version: '1.0.0' },
  instructions: 'For the conformance suite.',
  tools: [...tools, ...questions],
  prompts,
  resources,
  templates,
});
