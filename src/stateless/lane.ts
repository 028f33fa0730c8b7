/**
 * The compat and the modern lane: `createMcpHandler` over the catalogue. Which of the two serves a request is the
 * package's own classification. The package's Host, Origin and CORS checks are off: the door has made them already.
 */
import { createMcpHandler } from 'agents/mcp/server';
import type { McpRequestContext } from '@modelcontextprotocol/server';
import type { StatelessCall } from '../lane/contract.ts';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import { viewerOf } from '../shared/catalogue/views.ts';
import { isPlainObject } from '../shared/json.ts';
import type { World } from '../shared/define/context.ts';
import { reportSdk, type Reporter } from '../shared/pipeline/report.ts';
import { NO_SERVICES, type ServicesMaker } from '../shared/pipeline/services.ts';
import type { StateEnv } from '../state/state-port.ts';
import { bounded } from './bounded.ts';
import { compatExchange } from './compat.ts';
import { modernExchange } from './modern.ts';
import { serverFactory } from './exchange.ts';
import { withHost } from './request.ts';

export interface StatelessLaneOptions {
  readonly catalogue: Catalogue;
  readonly world: World;
  readonly report: Reporter;
  /** Makes the services of a caller. Default: there are none. */
  readonly services?: ServicesMaker;
  /** The pathname that the package answers; every spelling of the route is mapped to it before. */
  readonly path?: string;
  /** The path of the legacy lane, which can ask clients of the 2025 protocols; absent if there is none. */
  readonly sessionsAt?: string;
  /** Milliseconds between comments on a stream that answers a call. Default: the package's 15,000. */
  readonly keepAliveMs?: number;
}

export interface StatelessLane {
  readonly fetch: (request: Request, call: StatelessCall<StateEnv>) => Promise<Response>;
}

export function createStatelessLane(options: StatelessLaneOptions): StatelessLane {
  // The package hands the factory the very request that it was given, and nothing else of ours.
  const calls = new WeakMap<Request, { readonly call: StatelessCall<StateEnv>; readonly catalogue: Catalogue }>();
  const onError = (cause: Error): void => reportSdk(options.report, cause);
  const viewFor = viewerOf(options.catalogue, options.report);

  const factory = serverFactory(options.catalogue, (context: McpRequestContext) => {
    const known = context.requestInfo === undefined ? undefined : calls.get(context.requestInfo);
    if (known === undefined)
      throw new TypeError('The stateless lane was asked for a server outside a request of its own');
    const base = {
      world: options.world,
      report: options.report,
      services: options.services ?? NO_SERVICES,
      onError,
      ...known,
      sessionsAt: options.sessionsAt,
      logger: options.catalogue.info.name,
    };
    return context.era === 'modern' ? modernExchange(base) : compatExchange(base);
  });
  const settings = {
    route: options.path ?? '/mcp',
    corsOptions: false,
    allowedOriginHostnames: '*',
    onerror: onError,
    ...(options.keepAliveMs !== undefined && { keepAliveMs: options.keepAliveMs }),
  } as const;
  const compat = createMcpHandler(factory, settings);
  // Without a compat lane behind it the package does not ask once more which era it is.
  const modern = createMcpHandler(factory, { ...settings, legacy: 'reject' });
  const modernInStream = createMcpHandler(factory, { ...settings, legacy: 'reject', responseMode: 'sse' });

  return {
    async fetch(incoming, call) {
      const request = withHost(incoming);
      const view = viewFor?.(call.caller) ?? options.catalogue;
      const catalogue = view instanceof Promise ? await view : view;
      calls.set(request, { call, catalogue });
      const handler = call.era === '2025' ? compat : waits(call, catalogue) ? modernInStream : modern;
      return bounded(await handler.fetch(request, { parsedBody: call.message.json }));
    },
  };
}

/**
 * True for a call whose client wants to hear of it while it runs, or that may run for longer than an answer may take to
 * begin. The package answers in JSON until something is said, so such a call would show no life; and as long as nothing
 * has begun, neither it nor the call learns that the client has gone.
 */
function waits({ message, answerWithinMs }: StatelessCall<StateEnv>, { tools, limits }: Catalogue): boolean {
  const { method, params } = message;
  if (method !== 'tools/call' && method !== 'prompts/get') return false;
  const { _meta: meta, name } = params;
  if (isPlainObject(meta) && meta['progressToken'] !== undefined) return true;
  const tool = method === 'tools/call' && typeof name === 'string' ? tools.get(name) : undefined;
  return answerWithinMs !== undefined && (tool?.deadlineMs ?? limits.deadlineMs) >= answerWithinMs;
}
