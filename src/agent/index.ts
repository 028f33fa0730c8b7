/**
 * The package `hybrid-mcp/agent`: `McpAgent` in the place of the one of `agents/mcp`. A class that extends it is served as
 * before, and, once a flag says so, to 2026-07-28 clients and without a session in front of it, by the same code.
 */
import { McpAgent as PlainMcpAgent } from 'agents/mcp';
import { hostedAgent, type HostedAgentClass } from '../legacy/hosting/hosted-agent.ts';
import type { McpAgentClass } from '../legacy/session/options.ts';
import { optionsOf, type OwnAgentOptions } from './options.ts';
import { serveOwnAgent, type Served, type ServeOptions } from './serve.ts';
import { agentSettings } from './settings.ts';

export { CensusObject } from './census-object.ts';
export { OperatorObject } from '../cutover/operator-object.ts';
export { operatorApi, type OperatorApiOptions } from './operator.ts';
export type { OwnAgentOptions } from './options.ts';
export type { Served, ServeOptions } from './serve.ts';

/** What a class that can be served has, beside its instances. */
export interface ServableStatics {
  /** How the class is served, if the defaults do not fit. */
  readonly hybrid?: OwnAgentOptions;
  /** Serves the class over Streamable HTTP, or as `transport` says. */
  serve(path: string, options?: ServeOptions): Served;
  /** Serves the class over HTTP+SSE. */
  serveSSE(path: string, options?: Omit<ServeOptions, 'transport'>): Served;
  /** The earlier name of `serveSSE`. */
  mount(path: string, options?: Omit<ServeOptions, 'transport'>): Served;
}

type Statics<Base> = Omit<Base, 'serve' | 'serveSSE' | 'mount' | 'prototype'>;

/**
 * Makes a class servable to both generations whose base class cannot change.
 *
 * @param Base The class as it is in production, a subclass of `McpAgent` of `agents/mcp`.
 * @param options How it is served; its static `hybrid` says the same.
 * @throws TypeError if the class is no `McpAgent`, or has a member of a name that is added.
 * @example
 * ```ts
 * export class MyMCP extends sessionAgent(OwnMCP) {}
 * export default MyMCP.serve('/mcp');
 * ```
 */
export function sessionAgent<Base extends McpAgentClass>(
  Base: Base,
  options: OwnAgentOptions = {},
): HostedAgentClass<Base> & Statics<Base> & ServableStatics {
  const given: unknown = Base;
  if (
    typeof given !== 'function' ||
    !(Base === (PlainMcpAgent as unknown) || Base.prototype instanceof PlainMcpAgent)
  ) {
    throw new TypeError(
      'sessionAgent() takes a class that extends McpAgent of "agents/mcp". For a server of SDK v2, use createMcpHandler of "agents/mcp/server" as it is.',
    );
  }
  abstract class ServableAgent extends hostedAgent(Base as McpAgentClass, (agent) => agentSettings(agent)) {
    static readonly hybrid: OwnAgentOptions = { ...optionsOf(Base), ...options };

    static serve(path: string, serveOptions?: ServeOptions): Served {
      return serveOwnAgent(this, path, serveOptions);
    }

    static serveSSE(path: string, serveOptions: Omit<ServeOptions, 'transport'> = {}): Served {
      return serveOwnAgent(this, path, { ...serveOptions, transport: 'sse' });
    }

    static mount(path: string, serveOptions: Omit<ServeOptions, 'transport'> = {}): Served {
      return serveOwnAgent(this, path, { ...serveOptions, transport: 'sse' });
    }
  }
  Object.defineProperty(ServableAgent, 'name', { value: Base.name });
  return ServableAgent as unknown as HostedAgentClass<Base> & Statics<Base> & ServableStatics;
}

/**
 * `McpAgent` of `agents/mcp`, which also answers for the stateless lanes. Write the import of it in place of the package's
 * own, and nothing else.
 *
 * @example
 * ```ts
 * import { McpAgent } from 'hybrid-mcp/agent';
 * import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
 *
 * export class MyMCP extends McpAgent<Env, State, Props> {
 *   server = new McpServer({ name: 'my-server', version: '1.0.0' });
 *   override async init(): Promise<void> {
 *     this.server.registerTool('ping', {}, () => ({ content: [{ type: 'text', text: 'pong' }] }));
 *   }
 * }
 * export default MyMCP.serve('/mcp');
 * ```
 */
export abstract class McpAgent<
  Env extends Cloudflare.Env = Cloudflare.Env,
  State = unknown,
  Props extends Record<string, unknown> = Record<string, unknown>,
> extends (sessionAgent(PlainMcpAgent) as unknown as typeof PlainMcpAgent)<Env, State, Props> {
  static readonly hybrid: OwnAgentOptions = {};
}
