/** Both packages in one Worker without a line of ours: what start-up and size are held against. */
import { plainAgent } from './plain-agent.ts';
import { plainHandler } from './plain-handler.ts';

export { LegacyAgent } from './plain-agent.ts';

export default {
  fetch: (request, env, ctx) =>
    new URL(request.url).pathname.startsWith('/legacy/')
      ? plainAgent.fetch(request, env, ctx)
      : plainHandler.fetch(request),
} satisfies ExportedHandler<Env>;
