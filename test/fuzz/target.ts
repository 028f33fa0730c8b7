/** The fixture catalogue alone as a Worker: what the fuzzer attacks. Never deployed. */
import { createHybrid } from 'hybrid-mcp';
import { legacyLane } from 'hybrid-mcp/legacy';
import { fixtureCatalogue as catalogue } from '../fixture/catalogue.ts';

const hybrid = createHybrid({
  catalogue,
  legacy: legacyLane(),
});

export class StateObject extends hybrid.StateObject {}
export class LegacyAgent extends hybrid.LegacyAgent {}

export default hybrid.handler satisfies ExportedHandler<Env>;
