/** The Worker to deploy. */
import { createApp } from './app.ts';

const app = createApp();

export class StateObject extends app.StateObject {}
export class LegacyAgent extends app.LegacyAgent {}
export class OperatorObject extends app.OperatorObject {}
export class CensusObject extends app.CensusObject {}
export default { fetch: app.fetch };
