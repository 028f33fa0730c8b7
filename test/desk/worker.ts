/** The desk with both halves, for tests: as it ships until the legacy half is retired, and after that as well. */
import { createHybrid } from 'hybrid-mcp';
import { legacyLane } from 'hybrid-mcp/legacy';
import { webmcpFiles } from 'hybrid-mcp/webmcp-files';
import { deskCatalogue as catalogue } from '../../examples/desk/catalogue.ts';
import page from '../../examples/desk/webmcp.html';

const hybrid = createHybrid({
  catalogue,
  legacy: legacyLane(),
  webmcp: webmcpFiles({ page }),
});

export class StateObject extends hybrid.StateObject {}
export class LegacyAgent extends hybrid.LegacyAgent {}
export class OperatorObject extends hybrid.OperatorObject {}
export class CensusObject extends hybrid.CensusObject {}

export default hybrid.handler satisfies ExportedHandler<Env>;
