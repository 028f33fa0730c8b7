/** The Worker that real clients are tried against, and the client that itself runs in a Worker. For tests only. */
import { createHybrid } from 'hybrid-mcp';
import { legacyLane } from 'hybrid-mcp/legacy';
import { ClientAgent, fetchClient } from './agents-client.ts';
import { triedCatalogue as catalogue } from './catalogue.ts';

const hybrid = createHybrid({ catalogue, legacy: legacyLane() });

export class StateObject extends hybrid.StateObject {}
export class LegacyAgent extends hybrid.LegacyAgent {}
export { ClientAgent };

export default {
  fetch: (request, env, ctx) =>
    new URL(request.url).pathname.startsWith('/client/') ? fetchClient(request, env) : hybrid.fetch(request, env, ctx),
} satisfies ExportedHandler<Env>;
