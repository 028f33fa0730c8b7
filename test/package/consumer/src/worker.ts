import { createHybrid } from 'hybrid-mcp';
import { legacyLane } from 'hybrid-mcp/legacy';
import { catalogue } from './tools.ts';

const hybrid = createHybrid({ catalogue, legacy: legacyLane() });

export class StateObject extends hybrid.StateObject {}
export class LegacyAgent extends hybrid.LegacyAgent {}
export default hybrid.handler satisfies ExportedHandler<Env>;
