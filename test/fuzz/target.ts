/** The fixture catalogue alone as a Worker: what the fuzzer attacks. Never deployed. */
import { createHybrid } from '../../src/index.ts';
import { legacyLane } from '../../src/legacy/index.ts';
import { fixtureCatalogue as catalogue } from '../fixture/catalogue.ts';

const hybrid = createHybrid({
  catalogue,
  legacy: legacyLane(),
});

export class StateObject extends hybrid.StateObject {}
export class LegacyAgent extends hybrid.LegacyAgent {}

export default hybrid.handler satisfies ExportedHandler<Env>;
