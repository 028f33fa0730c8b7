/** What is measured as ours: a Worker like the shipped one, around the tools of the benchmark. */
import { createHybrid } from 'hybrid-mcp';
import { legacyLane } from 'hybrid-mcp/legacy';
import { benchCatalogue as catalogue } from './catalogue.ts';

const hybrid = createHybrid({ catalogue, legacy: legacyLane() });

export class StateObject extends hybrid.StateObject {}
export class LegacyAgent extends hybrid.LegacyAgent {}
export class OperatorObject extends hybrid.OperatorObject {}
export class CensusObject extends hybrid.CensusObject {}

export default hybrid.handler satisfies ExportedHandler<Env>;
