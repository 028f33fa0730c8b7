/**
 * The compat and the modern lane: `createMcpHandler` over the catalogue. Which of the two serves a request is the
 * package's own classification. The package's Host, Origin and CORS checks are off: the door has made them already.
 */
import { createMcpHandler } from 'agents/mcp/server';
import type { McpRequestContext } from '@modelcontextprotocol/server';
import type { StatelessCall } from '../lane/contract.ts';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import type { World } from '../shared/define/context.ts';
import { reportSdk, type Reporter } from '../shared/pipeline/report.ts';
import type { StateEnv } from '../state/state-port.ts';
import { compatExchange } from './compat.ts';
import { modernExchange } from './modern.ts';
import { serverFactory } from './server.ts';
import { withHost } from './with-host.ts';

export interface StatelessLaneOptions {
  readonly catalogue: Catalogue;
  readonly world: World;
  readonly report: Reporter;
  /** The pathname that the package answers; every spelling of the route is mapped to it before. */
  readonly path?: string;
}

export interface StatelessLane {
  readonly fetch: (request: Request, call: StatelessCall<StateEnv>) => Promise<Response>;
}

export function createStatelessLane(options: StatelessLaneOptions): StatelessLane {
  // The package hands the factory the very request that it was given, and nothing else of ours.
  const calls = new WeakMap<Request, StatelessCall<StateEnv>>();
  const onError = (cause: Error): void => reportSdk(options.report, cause);

  const factory = serverFactory(options.catalogue, (context: McpRequestContext) => {
    const call = context.requestInfo === undefined ? undefined : calls.get(context.requestInfo);
    if (call === undefined)
      throw new TypeError('The stateless lane was asked for a server outside a request of its own');
    const base = { world: options.world, report: options.report, onError, call, logger: options.catalogue.info.name };
    return context.era === 'modern' ? modernExchange(base) : compatExchange(base);
  });
  const settings = {
    route: options.path ?? '/mcp',
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
      return handlers[call.era].fetch(request, { parsedBody: call.message.json });
    },
  };
}
