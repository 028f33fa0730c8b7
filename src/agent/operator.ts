/** The operator API of a Worker that serves a class of its own, to be mounted at a path that no sign-in of the users guards. */
import { createAdmin } from '../cutover/admin/admin.ts';
import { censusPort } from '../cutover/admin/census-port.ts';
import { consoleReporter as report } from '../state/log.ts';
import { ownAgentEnv, type OwnAgentEnv } from './environment.ts';
import { census, cutover } from './shared.ts';

/** What `operatorApi` is given. */
export interface OperatorApiOptions {
  /** The binding of the class that is served. Default: `MCP_OBJECT`. */
  readonly binding?: string;
  /** What `status` calls this server. */
  readonly name?: string;
  readonly version?: string;
}

/**
 * Status, census, brake, drain and the audit log under `/admin`. Without a sign-in in the configuration it is not there.
 *
 * @example
 * ```ts
 * const operator = operatorApi();
 * export default {
 *   fetch: (request, env, ctx) =>
 *     new URL(request.url).pathname.startsWith('/admin/')
 *       ? operator.fetch(request, env, ctx)
 *       : new Response('The application answers here.'),
 * } satisfies ExportedHandler<Env>;
 * ```
 */
export function operatorApi({ binding = 'MCP_OBJECT', name = 'mcp-agent', version = '' }: OperatorApiOptions = {}): {
  fetch(request: Request, env: object, ctx: ExecutionContext): Promise<Response>;
} {
  const envOf = ownAgentEnv(binding);
  const admin = createAdmin<OwnAgentEnv>({
    catalogue: { info: { name, title: name, version } },
    report,
    stages: cutover,
    census: censusPort(census),
  });
  return { fetch: (request, env, ctx) => admin.fetch(request, envOf(env), ctx) };
}
