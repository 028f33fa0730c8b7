/**
 * Serves the catalogue on SDK v2: the compat lane (2025 clients, no session behind the wire) and the modern lane
 * (2026-07-28). One server an exchange, as the SDK demands; it holds one function, however long the catalogue is.
 */
import { Server, type McpRequestContext } from '@modelcontextprotocol/server';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import { answer, isCatalogueMethod } from '../shared/protocol/answer.ts';
import { capabilitiesOf, implementationOf, servedMethods } from '../shared/protocol/capabilities.ts';
import { methodNotFound, RpcFailure } from '../shared/protocol/failure.ts';
import type { Exchange } from './exchange.ts';

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

/** A factory of servers for `createMcpHandler`. */
export function serverFactory(catalogue: Catalogue, exchangeFor: (context: McpRequestContext) => Exchange) {
  const capabilities = capabilitiesOf(catalogue);
  const servedIn = {
    legacy: servedMethods(catalogue, '2025') as ReadonlySet<string>,
    modern: servedMethods(catalogue, '2026') as ReadonlySet<string>,
  };

  return (context: McpRequestContext): Server => {
    const exchange = exchangeFor(context);
    const served = servedIn[context.era];
    const server = new CatalogueServer(implementationOf(catalogue), {
      capabilities,
      instructions: catalogue.instructions,
    });
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
