/** Entry: the desk as a Worker. Exports the Durable Objects and `fetch`; nothing else. */
import { createHybrid } from 'hybrid-mcp';
import { legacyLane } from 'hybrid-mcp/legacy';
import { webmcpFiles } from 'hybrid-mcp/webmcp-files';
import { deskCatalogue as catalogue } from './catalogue.ts';
import page from './webmcp.html';

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
