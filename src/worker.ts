/** Entry: exports the Durable Objects and `fetch`; nothing else. */
import { legacyAgentFor } from './legacy/agent.ts';
import { createLegacyLane } from './legacy/lane.ts';
import { createRouter } from './router/router.ts';
import { deskCatalogue as catalogue } from './shared/desk/catalogue.ts';
import { systemWorld as world } from './shared/world.ts';
import { consoleReporter as report } from './state/log.ts';
import { createStatelessHalf } from './stateless/half.ts';
import { stateObjectFor } from './state/state-object.ts';

const options = { catalogue, world, report };

export { OperatorObject } from './cutover/operator-object.ts';
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
