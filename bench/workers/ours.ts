/** The Worker as it ships, around the tools of the benchmark. */
import { legacyAgentFor } from '../../src/legacy/agent.ts';
import { createLegacyLane } from '../../src/legacy/lane.ts';
import { createRouter } from '../../src/router/router.ts';
import { createCatalogue } from '../../src/shared/catalogue/catalogue.ts';
import { defineTool } from '../../src/shared/define/tool.ts';
import { systemWorld as world } from '../../src/shared/world.ts';
import { consoleReporter as report } from '../../src/state/log.ts';
import { stateObjectFor } from '../../src/state/state-object.ts';
import { createStatelessHalf } from '../../src/stateless/half.ts';
import { benchTools, INSTRUCTIONS, SERVER_INFO } from './tools.ts';

const catalogue = createCatalogue({
  info: SERVER_INFO,
  instructions: INSTRUCTIONS,
  tools: benchTools.map(({ run, ...tool }) =>
    defineTool({ ...tool, run: (args) => ({ structuredContent: run(args) }) }),
  ),
});
const options = { catalogue, world, report };

export class StateObject extends stateObjectFor(options) {}
export class LegacyAgent extends legacyAgentFor(options) {}

export default {
  fetch: createRouter<Env>({
    catalogue,
    report,
    stateless: createStatelessHalf(options),
    legacy: createLegacyLane(),
  }),
} satisfies ExportedHandler<Env>;
