/** The tools of the benchmark as our catalogue: what the shipped Worker is measured with, in place of its own. */
import { createCatalogue, defineTool } from 'hybrid-mcp/define';
import { benchTools, INSTRUCTIONS, SERVER_INFO } from './tools.ts';

export const benchCatalogue = createCatalogue({
  info: SERVER_INFO,
  instructions: INSTRUCTIONS,
  tools: benchTools.map(({ run, ...tool }) =>
    defineTool({ ...tool, run: (args) => ({ structuredContent: run(args) }) }),
  ),
});
