/**
 * Serves the catalogue on SDK v1. The SDK's own registry is left empty: it would list another schema dialect, parse
 * with other texts and drop icons. Every request that depends on the catalogue goes to the shared `answer`.
 */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  InitializeRequestSchema,
  SetLevelRequestSchema,
  type InitializeRequest,
  type InitializeResult,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import type { LogLevel } from '../shared/define/context.ts';
import type { CallPorts } from '../shared/pipeline/ports.ts';
import { answer, isCatalogueMethod } from '../shared/protocol/answer.ts';
import { capabilitiesOf, implementationOf, servedMethods } from '../shared/protocol/capabilities.ts';
import { methodNotFound, RpcFailure } from '../shared/protocol/failure.ts';

export type LegacyExtra = RequestHandlerExtra<ServerRequest, ServerNotification>;

export interface LegacyServerOptions {
  readonly catalogue: Catalogue;
  readonly ports: (extra: LegacyExtra) => CallPorts;
  readonly setLogLevel: (level: LogLevel) => void;
  /** Told of the protocol version that client and server agreed on. */
  readonly onVersion: (version: string) => void;
  readonly onError: (error: Error) => void;
}

class CatalogueServer extends Server {
  /** A `task` that we did not offer is ignored (spec 2025-11-25, basic/utilities/tasks); the SDK would refuse the call. */
  protected override assertTaskHandlerCapability(): void {}
}

/** The SDK's own handler of `initialize`, which decides on the version and tells nobody. */
interface Initializing {
  _oninitialize(request: InitializeRequest): Promise<InitializeResult>;
}

export function createLegacyServer(options: LegacyServerOptions): Server {
  const { catalogue } = options;
  const served: ReadonlySet<string> = servedMethods(catalogue, '2025');
  const server = new CatalogueServer(implementationOf(catalogue), {
    capabilities: capabilitiesOf(catalogue),
    instructions: catalogue.instructions,
  });
  server.onerror = options.onError;
  server.setRequestHandler(InitializeRequestSchema, async (request) => {
    const result = await (server as unknown as Initializing)._oninitialize(request);
    options.onVersion(result.protocolVersion);
    return result;
  });
  server.setRequestHandler(SetLevelRequestSchema, ({ params }) => {
    options.setLogLevel(params.level);
    return {};
  });
  server.fallbackRequestHandler = async (request, extra) => {
    if (!served.has(request.method) || !isCatalogueMethod(request.method)) throw methodNotFound();
    const answered = await answer(catalogue, request.method, request.params, options.ports(extra));
    switch (answered.kind) {
      case 'result':
        return answered.result;
      case 'error':
        throw new RpcFailure(answered.error);
      case 'questions':
        // This lane pushes its questions while the call is open, so none is ever left over.
        throw new TypeError('The legacy lane was left with open questions');
    }
  };
  return server;
}
