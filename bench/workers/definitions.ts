/** A Worker with definitions and nothing that serves them: what `hybrid-mcp/define` weighs by itself. */
import { benchCatalogue } from './catalogue.ts';

export default {
  fetch: () => Response.json([...benchCatalogue.tools.keys()]),
} satisfies ExportedHandler;
