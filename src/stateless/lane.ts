/**
 * The compat and the modern lane: `createMcpHandler` over the catalogue. Which of the two serves a request is the
 * package's own classification. The package's Host, Origin and CORS checks are off: the door has made them already.
 */
import { createMcpHandler } from 'agents/mcp/server';
import type { McpRequestContext } from '@modelcontextprotocol/server';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import type { World } from '../shared/define/context.ts';
import { report, type Reporter } from '../shared/pipeline/report.ts';
import type { StateEnv } from '../state/state-port.ts';
import { compatExchange } from './compat.ts';
import { eraOf } from './era.ts';
import { modernExchange } from './modern.ts';
import { serverFactory } from './server.ts';

/** The pathname that the package answers; the door maps every spelling of the route to it. */
export const STATELESS_PATH = '/mcp';

export interface StatelessLaneOptions {
  readonly catalogue: Catalogue;
  readonly world: World;
  readonly report: Reporter;
}

/** What the door knows about a request and a server needs. The body was read by the door, once. */
export interface StatelessCall {
  readonly env: StateEnv;
  readonly body: unknown;
  /** The session that the request belongs to: one of our own, or a drained one of the legacy lane. */
  readonly sessionId: string | undefined;
  /** The agent of a drained session, which may still have its state. */
  readonly agent?: string;
  /** The authenticated caller, where the deployment has sign-in. */
  readonly subject?: string;
}

export interface StatelessLane {
  readonly fetch: (request: Request, call: StatelessCall) => Promise<Response>;
}

export function createStatelessLane(options: StatelessLaneOptions): StatelessLane {
  // The package hands the factory the very request that it was given, and nothing else of ours.
  const calls = new WeakMap<Request, StatelessCall>();
  const onError = (cause: Error): void => report(options.report, { fault: 'lane_error', tool: undefined, cause });

  const factory = serverFactory(options.catalogue, (context: McpRequestContext) => {
    const call = context.requestInfo === undefined ? undefined : calls.get(context.requestInfo);
    if (call === undefined)
      throw new TypeError('The stateless lane was asked for a server outside a request of its own');
    const base = { world: options.world, report: options.report, onError, call, logger: options.catalogue.info.name };
    return context.era === 'modern' ? modernExchange(base) : compatExchange(base);
  });
  const settings = {
    route: STATELESS_PATH,
    corsOptions: false,
    allowedOriginHostnames: '*',
    onerror: onError,
  } as const;
  const handlers = {
    '2025': createMcpHandler(factory, settings),
    // Without a compat lane behind it the package does not ask once more which era it is.
    '2026': createMcpHandler(factory, { ...settings, legacy: 'reject' }),
  };

  return {
    async fetch(incoming, call) {
      const request = withHost(incoming);
      calls.set(request, call);
      return handlers[await eraOf(request, call.body)].fetch(request, { parsedBody: call.body });
    },
  };
}

/** Requests through a binding have no Host header, and the package refuses them; the door has checked the URL's host. */
function withHost(request: Request): Request {
  if (request.headers.has('host')) return request;
  const headers = new Headers(request.headers);
  headers.set('host', new URL(request.url).host);
  // Without the body: it has been read, and the package is given what was in it.
  return new Request(request.url, { method: request.method, headers, signal: request.signal });
}
