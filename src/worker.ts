/** Entry: exports the Durable Objects and `fetch`; nothing else. */
import { createAdmin } from './cutover/admin/admin.ts';
import { censusPort } from './cutover/admin/census-port.ts';
import { createCensus } from './cutover/census/collect.ts';
import { createCutover } from './cutover/cutover.ts';
import { legacyAgentFor } from './legacy/agent.ts';
import { createLegacyLane } from './legacy/lane.ts';
import { createRouter } from './router/router.ts';
import { deskCatalogue as catalogue } from './shared/desk/catalogue.ts';
import { systemWorld as world } from './shared/world.ts';
import { consoleReporter as report } from './state/log.ts';
import { createStatelessHalf } from './stateless/half.ts';
import { stateObjectFor } from './state/state-object.ts';

const census = createCensus({ onError: (cause) => report({ fault: 'lane_error', tool: undefined, cause }) });
const cutover = createCutover(report);
const options = { catalogue, world, report, onSessionEnd: (env: object, id: string) => census.sessionEnded(env, id) };

export { CensusObject } from './cutover/census/census-object.ts';
export { OperatorObject } from './cutover/operator-object.ts';
export class StateObject extends stateObjectFor(options) {}
export class LegacyAgent extends legacyAgentFor(options) {}

export default {
  fetch: createRouter<Env>({
    catalogue,
    report,
    cutover,
    census,
    admin: createAdmin({ catalogue, report, stages: cutover, census: censusPort(census) }),
    stateless: createStatelessHalf(options),
    legacy: createLegacyLane(),
  }),
} satisfies ExportedHandler<Env>;
