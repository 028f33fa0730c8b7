/**
 * The stateless lanes of a user's own class: `createMcpHandler` with a server per request that holds one function, which
 * asks an object of the class. Nothing of the class is in this isolate.
 */
import { createMcpHandler } from 'agents/mcp/server';
import {
  MissingRequiredClientCapabilityError,
  Server,
  type McpRequestContext,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { HostedExchange, HostedRequest, HostedStep, Lacking } from '../../lane/hosting.ts';
import { isPlainObject } from '../../shared/json.ts';
import { answerIdOf } from '../../shared/message.ts';
import { RPC_CODE } from '../../shared/pipeline/fault.ts';
import { reportSdk, type Reporter } from '../../shared/pipeline/report.ts';
import { methodNotFound, RpcFailure } from '../../shared/protocol/failure.ts';
import { bounded } from '../bounded.ts';
import { withHost } from '../request.ts';
import { paramsFor, servedBy } from './params.ts';
import { LISTEN, listen } from './listen.ts';
import { canLack, unlessRefused, type Told } from './refusal.ts';
import { relay } from './relay.ts';

export interface HostedLane {
  readonly fetch: (request: Request, exchange: HostedExchange) => Promise<Response>;
}

/** A class may be served at `/`, which means everywhere, or at a pattern; the package knows one pathname. */
const LITERAL = /^\/[\w./-]+$/;
const ROUTE = '/mcp';

/** @param path Where the class is served, as the agents package takes it. */
export function createHostedLane(path: string, reporter: Reporter): HostedLane {
  const route = LITERAL.test(path) ? path : ROUTE;
  const exchanges = new WeakMap<Request, HostedExchange>();
  const tolds = new WeakMap<HostedExchange, Told>();
  const onError = (cause: Error): void => reportSdk(reporter, cause);
  const factory = (context: McpRequestContext): Server => {
    const exchange = context.requestInfo === undefined ? undefined : exchanges.get(context.requestInfo);
    if (exchange === undefined) throw new TypeError('The hosted lane was asked for a server outside of a request');
    return serverFor(exchange, onError, tolds.get(exchange));
  };
  const settings = { route, corsOptions: false, allowedOriginHostnames: '*', onerror: onError } as const;
  const handlers = {
    '2025': createMcpHandler(factory, settings),
    '2026': createMcpHandler(factory, { ...settings, legacy: 'reject' }),
    // A handler may take as long as it took before, and say nothing meanwhile: a stream is kept alive, an answer is not.
    call: createMcpHandler(factory, { ...settings, legacy: 'reject', responseMode: 'sse' }),
  };
  return {
    async fetch(incoming, exchange) {
      const request = atRoute(withHost(incoming), route);
      exchanges.set(request, exchange);
      const { era, message } = exchange;
      if (era === '2026' && message.method === LISTEN) {
        // A handler of its own: what is published on one reaches everybody who listens there.
        const handler = createMcpHandler(factory, { ...settings, legacy: 'reject' });
        return bounded(
          await listen(request, { exchange, handler, track: (asked) => exchanges.set(asked, exchange), onError }),
        );
      }
      if (era !== '2026' || message.method !== 'tools/call') {
        return bounded(await handlers[era].fetch(request, { parsedBody: message.json }));
      }
      if (!canLack(exchange.caller)) return bounded(await handlers.call.fetch(request, { parsedBody: message.json }));
      const told: Told = Promise.withResolvers();
      tolds.set(exchange, told);
      const response = handlers.call.fetch(request, { parsedBody: message.json });
      return unlessRefused(await bounded(await response), told.promise, answerIdOf(message).id);
    },
  };
}

/** The caller was asked whether the class is served there. What the class sees of the URL goes another way. */
function atRoute(request: Request, route: string): Request {
  const url = new URL(request.url);
  if (url.pathname === route) return request;
  url.pathname = route;
  // Without the body: it has been read, and the package is given what was in it.
  return new Request(url, { method: request.method, headers: request.headers, signal: request.signal });
}

function serverFor(exchange: HostedExchange, onError: (error: Error) => void, told?: Told): Server {
  const { info, capabilities, instructions } = exchange.server;
  const server = new Server(
    { ...info },
    { capabilities: { ...capabilities }, ...(instructions !== undefined && { instructions }) },
  );
  server.onerror = onError;
  // Whatever the SDK has answered by itself: nobody may go on waiting for the object.
  server.onclose = () => exchange.onStanding?.('drained');
  const served = servedBy(capabilities, exchange.era);
  const { method } = exchange.message;
  // A method that the class does not serve is refused by the SDK itself, with the status that the protocol asks for.
  if (method !== undefined && exchange.era === '2026' && !served(method)) return server;
  server.fallbackRequestHandler = async (request, ctx) => {
    if (!served(request.method)) {
      exchange.onStanding?.('drained');
      throw methodNotFound();
    }
    return ask(exchange, { method: request.method, params: request.params, told }, ctx);
  };
  // The SDK's own handler keeps the level in this server, which is gone after the request; the class's keeps it.
  server.removeRequestHandler('logging/setLevel');
  return server;
}

async function ask(
  exchange: HostedExchange,
  { method, params, told }: { readonly method: string; readonly params: unknown; readonly told: Told | undefined },
  ctx: ServerContext,
): Promise<Record<string, unknown>> {
  const { agent, caller, era, of, tokenPrefix } = exchange;
  const call = crypto.randomUUID();
  const cancel = (): void => void agent._cancelHosted(call).catch(() => undefined);
  ctx.mcpReq.signal.addEventListener('abort', cancel, { once: true });
  const round = era === '2026' ? roundOf(ctx, tokenPrefix) : undefined;
  const text = paramsFor(params, ctx.mcpReq._meta?.progressToken);
  try {
    const step = await agent._host(
      { of, method, ...(text !== undefined && { params: text }), caller, call, ...(round !== undefined && { round }) },
      relay(ctx, era, () => told?.resolve(undefined)),
      exchange.onStanding,
    );
    if (step.kind === 'gone') exchange.onStanding?.('gone');
    const lacks = era === '2026' ? lackedBy(step) : undefined;
    if (lacks !== undefined) {
      const missing = new MissingRequiredClientCapabilityError({ requiredCapabilities: lacks });
      told?.resolve({ code: missing.code, message: missing.message, data: missing.data });
      throw missing;
    }
    return resultOf(step, tokenPrefix);
  } finally {
    ctx.mcpReq.signal.removeEventListener('abort', cancel);
    // An object that failed has said nothing: the failure is the answer.
    exchange.onStanding?.('drained');
    told?.resolve(undefined);
  }
}

/**
 * What the client has to declare for this call (spec 2026-07-28, basic/lifecycle): a handler that has gone on without an
 * answer, and has a result, did not need it.
 */
function lackedBy(step: HostedStep): Lacking | undefined {
  if (step.kind === 'error') return step.lacks;
  if (step.kind !== 'result' || step.lacks === undefined) return undefined;
  const result: unknown = JSON.parse(step.result);
  return isPlainObject(result) && result['isError'] === true ? step.lacks : undefined;
}

function roundOf(ctx: ServerContext, prefix: string): HostedRequest['round'] {
  const state: unknown = ctx.mcpReq.requestState();
  if (state === undefined) return undefined;
  if (typeof state !== 'string' || !state.startsWith(prefix)) throw invalidRound();
  return { token: state.slice(prefix.length), answers: { ...ctx.mcpReq.inputResponses } };
}

/** The same words as the SDK's own refusal. */
const invalidRound = (): RpcFailure =>
  new RpcFailure({
    code: RPC_CODE.invalidParams,
    message: 'Invalid or expired requestState',
    data: { reason: 'invalid_request_state' },
  });

function resultOf(step: HostedStep, prefix: string): Record<string, unknown> {
  switch (step.kind) {
    case 'result': {
      const result: unknown = JSON.parse(step.result);
      return isPlainObject(result) ? result : {};
    }
    case 'error':
      throw new RpcFailure(step.error as ConstructorParameters<typeof RpcFailure>[0]);
    case 'questions':
      return {
        resultType: 'input_required',
        inputRequests: Object.fromEntries(step.questions.map(({ key, method, params }) => [key, { method, params }])),
        requestState: prefix + step.token,
      };
    case 'unknown_round':
      throw invalidRound();
    case 'gone':
      throw new RpcFailure({ code: -32_001, message: 'Session not found' });
    case 'busy':
      throw new RpcFailure({
        code: RPC_CODE.internal,
        message: 'Calls with other rights of the same account went on for too long. Try again.',
      });
  }
}
