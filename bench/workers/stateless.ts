/** A Worker like the shipped one without the legacy lane: no SDK v1 and no `McpAgent`. */
import { createHybrid } from 'hybrid-mcp';
import { benchCatalogue as catalogue } from './catalogue.ts';

const hybrid = createHybrid({ catalogue });

export class StateObject extends hybrid.StateObject {}
export class OperatorObject extends hybrid.OperatorObject {}
export class CensusObject extends hybrid.CensusObject {}

export default hybrid.handler satisfies ExportedHandler<Env>;
