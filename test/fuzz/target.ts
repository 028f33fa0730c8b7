/** The fixture catalogue alone as a Worker: what the fuzzer attacks. Never deployed. */
import { legacyAgentFor } from '../../src/legacy/agent.ts';
import { createLegacyLane } from '../../src/legacy/lane.ts';
import { createRouter } from '../../src/router/router.ts';
import { systemWorld as world } from '../../src/shared/world.ts';
import { consoleReporter as report } from '../../src/state/log.ts';
import { stateObjectFor } from '../../src/state/state-object.ts';
import { createStatelessHalf } from '../../src/stateless/half.ts';
import { fixtureCatalogue as catalogue } from '../fixture/catalogue.ts';

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
