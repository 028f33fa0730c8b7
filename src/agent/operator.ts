/** The operator API of a Worker that serves a class of its own, to be mounted at a path that no sign-in of the users guards. */
import { createAdmin } from '../cutover/admin/admin.ts';
import { censusPort } from '../cutover/admin/census-port.ts';
import { consoleReporter as report } from '../state/log.ts';
import { OWN_AGENT_ROUTES, ownAgentEnv, type OwnAgentEnv } from './environment.ts';
import { census, cutover } from './shared.ts';

/** What `operatorApi` is given. */
export interface OperatorApiOptions {
  /** The binding of the class that is served. Default: `MCP_OBJECT`. */
  readonly binding?: string;
  /** Where the class is served and this API is, for what is said of them. Default: `/mcp`, `/sse`, `/admin`. */
  readonly paths?: { readonly mcp?: string; readonly sse?: string; readonly admin?: string };
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
export function operatorApi(options: OperatorApiOptions = {}): {
  fetch(request: Request, env: object, ctx: ExecutionContext): Promise<Response>;
} {
  const { binding = 'MCP_OBJECT', name = 'mcp-agent', version = '', paths = {} } = options;
  const { mcp = '/mcp', sse = '/sse', admin: adminPath = '/admin' } = paths;
  const envOf = ownAgentEnv(binding);
  const admin = createAdmin<OwnAgentEnv>({
    catalogue: { info: { name, title: name, version } },
    report,
    stages: cutover,
    census: censusPort(census),
    paths: { legacy: mcp, mcp, sse, admin: adminPath },
    settings: OWN_AGENT_ROUTES,
    names: { operator: 'OPERATOR_OBJECT', legacy: binding, census: 'CENSUS_OBJECT', flags: 'FLAGS' },
  });
  return { fetch: (request, env, ctx) => admin.fetch(request, envOf(env), ctx) };
}
