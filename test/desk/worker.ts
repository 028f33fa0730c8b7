/** The desk with both halves, for tests: as it ships until the legacy half is retired, and after that as well. */
import { deskCatalogue as catalogue } from '../../src/shared/desk/catalogue.ts';
import { createHybrid } from 'hybrid-mcp';
import { legacyLane } from 'hybrid-mcp/legacy';

const hybrid = createHybrid({
  catalogue,
  legacy: legacyLane(),
});

export class StateObject extends hybrid.StateObject {}
export class LegacyAgent extends hybrid.LegacyAgent {}
export class OperatorObject extends hybrid.OperatorObject {}
export class CensusObject extends hybrid.CensusObject {}

export default hybrid.handler satisfies ExportedHandler<Env>;
