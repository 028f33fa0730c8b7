/**
 * One request on SDK v2, on the compat lane (2025 clients, no session behind the wire) or the modern lane (2026-07-28): what
 * both have in common, what each fills in, and its server. The SDK demands one server per exchange; it holds one function,
 * however long the catalogue is.
 */
import { Server, type McpRequestContext, type ServerContext } from '@modelcontextprotocol/server';
import type { StatelessCall } from '../lane/contract.ts';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import type { CallRequest, World } from '../shared/define/context.ts';
import type { Json, JsonObject } from '../shared/json.ts';
import type { CallPorts } from '../shared/pipeline/ports.ts';
import type { Reporter } from '../shared/pipeline/report.ts';
import { NO_SERVICES, noServices, servicesOf, type ServicesMaker } from '../shared/pipeline/services.ts';
import { answer, isCatalogueMethod } from '../shared/protocol/answer.ts';
import type { Answer, Verdict } from '../shared/protocol/answered.ts';
import { surfaceOf } from '../shared/protocol/capabilities.ts';
import { methodNotFound, RpcFailure } from '../shared/protocol/failure.ts';
import { stateCallerOf, type StateCaller, type StateEnv } from '../state/state-port.ts';

/** Fills the pipeline's ports for one request on one lane, and says how questions leave it. */
export interface Exchange {
  /** What is served to the caller. */
  readonly catalogue: Catalogue;
  readonly ports: (ctx: ServerContext) => CallPorts | Promise<CallPorts>;
  /** Turns questions into this lane's result. */
  readonly ask: (
    questions: Extract<Answer, { kind: 'questions' }>,
    ctx: ServerContext,
  ) => Promise<Readonly<Record<string, unknown>>>;
  /** The one method of the request; undefined for a batch. */
  readonly method: string | undefined;
  readonly onError: (error: Error) => void;
  readonly onVerdict: (verdict: Verdict) => void;
}

export interface ExchangeBase {
  readonly catalogue: Catalogue;
  readonly world: World;
  readonly report: Reporter;
  readonly services: ServicesMaker;
  readonly onError: (error: Error) => void;
  readonly call: StatelessCall<StateEnv>;
  /** The path of the legacy lane, which can ask clients of the 2025 protocols. */
  readonly sessionsAt: string | undefined;
  /** The name that log messages carry, the same as on the legacy lane. */
  readonly logger: string;
}

/** The ports that do not differ between the two lanes. */
export function commonPorts(base: ExchangeBase, ctx: ServerContext): Omit<CallPorts, 'ask' | 'state' | 'client'> {
  const { caller } = base.call;
  const progressToken = ctx.mcpReq._meta?.progressToken;
  return {
    world: base.world,
    signal: ctx.mcpReq.signal,
    caller,
    services: base.services === NO_SERVICES ? noServices : servicesOf(base.services, base.call.env, caller),
    report: base.report,
    request: () => requestOf(base, ctx),
    ...(progressToken !== undefined && {
      progress: (update) =>
        ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, ...update } }),
    }),
    log: (level, data: Json) => ctx.mcpReq.log(level, data, base.logger),
  };
}

/** Who the state's owner is told is calling. */
export const stateCaller = ({ call: { caller, props } }: ExchangeBase): StateCaller => stateCallerOf(caller, props);

function requestOf({ call }: ExchangeBase, { mcpReq, http }: ServerContext): CallRequest {
  return {
    id: mcpReq.id,
    ...(mcpReq._meta !== undefined && { meta: mcpReq._meta as unknown as JsonObject }),
    ...(call.sessionId !== undefined && { sessionId: call.sessionId }),
    headers: Object.fromEntries(http?.req?.headers ?? []),
    ...(http?.req !== undefined && { url: http.req.url }),
    ...(http?.authInfo !== undefined && { authInfo: http.authInfo }),
  };
}

/** The SDK's own list of what is under way, by request. */
interface UnderWay {
  readonly _requestHandlerAbortControllers?: Map<unknown, AbortController>;
}

class CatalogueServer extends Server {
  /** True once the one request of the exchange has its answer. */
  answered = false;

  /**
   * The SDK closes an exchange before it takes an answered request off its list, and so aborts every one. That an abort
   * reaches nobody any more makes it no cheaper: it was a tenth of a call's cost.
   */
  protected override _onclose(): void {
    if (this.answered) (this as unknown as UnderWay)._requestHandlerAbortControllers?.clear();
    super._onclose();
  }
}

/**
 * A factory of servers for `createMcpHandler`.
 * @param common The catalogue that most exchanges have, or all of them.
 */
export function serverFactory(common: Catalogue, exchangeFor: (context: McpRequestContext) => Exchange) {
  const usual = surfaceOf(common);
  return (context: McpRequestContext): Server => {
    const exchange = exchangeFor(context);
    const { catalogue } = exchange;
    const { capabilities, implementation, served: servedIn } = catalogue === common ? usual : surfaceOf(catalogue);
    const served: ReadonlySet<string> = servedIn[context.era === 'modern' ? '2026' : '2025'];
    // A copy: the SDK may change it.
    const server = new CatalogueServer(
      { ...implementation },
      {
        capabilities,
        instructions: catalogue.instructions,
      },
    );
    server.onerror = exchange.onError;
    // A method that nobody serves must be refused by the SDK itself: only its own refusal gets the 404 that the
    // 2026-07-28 transport asks for.
    if (exchange.method === undefined || served.has(exchange.method)) {
      server.fallbackRequestHandler = async (request, ctx) => {
        if (!served.has(request.method) || !isCatalogueMethod(request.method)) throw methodNotFound();
        const answered = await answer(catalogue, request.method, request.params, await exchange.ports(ctx));
        server.answered = exchange.method !== undefined;
        // A client that cannot answer gets an error in place of the questions.
        const questions = answered.kind === 'questions' ? await exchange.ask(answered, ctx) : undefined;
        exchange.onVerdict(answered.verdict);
        switch (answered.kind) {
          case 'result':
            return answered.result;
          case 'error':
            throw new RpcFailure(answered.error);
          case 'questions':
            return questions ?? {};
        }
      };
    }
    return server;
  };
}
