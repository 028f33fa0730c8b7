/**
 * Serves the catalogue on SDK v1. The SDK's own registry is left empty: it would list another schema dialect, parse
 * with other texts and drop icons. Every request that depends on the catalogue goes to the shared `answer`, and questions of
 * a tool to the client.
 */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  InitializeRequestSchema,
  ResultSchema,
  SetLevelRequestSchema,
  type InitializeRequest,
  type InitializeResult,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import type { LogLevel } from '../shared/define/context.ts';
import type { AskedQuestion, AskPort, CallPorts, RawAnswer } from '../shared/pipeline/ports.ts';
import { askableOf } from '../shared/pipeline/ask.ts';
import { report, type Reporter } from '../shared/pipeline/report.ts';
import { answer, isCatalogueMethod } from '../shared/protocol/answer.ts';
import { implementationOf, surfaceOf, type Surface } from '../shared/protocol/capabilities.ts';
import { methodNotFound, RpcFailure } from '../shared/protocol/failure.ts';

export type LegacyExtra = RequestHandlerExtra<ServerRequest, ServerNotification>;

export interface LegacyServerOptions {
  readonly catalogue: Catalogue;
  readonly ports: (extra: LegacyExtra) => CallPorts;
  /** What is served to the caller of this request. */
  /** Absent if the catalogue is the same for everybody. */
  readonly viewFor?: (extra: LegacyExtra) => Catalogue | Promise<Catalogue>;
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
  const usual = surfaceOf(catalogue);
  const surface = (view: Catalogue): Surface => (view === catalogue ? usual : surfaceOf(view));
  const server = new CatalogueServer(implementationOf(catalogue), {
    capabilities: usual.capabilities,
    instructions: catalogue.instructions,
  });
  server.onerror = options.onError;
  server.setRequestHandler(InitializeRequestSchema, async (request, extra) => {
    const result = await (server as unknown as Initializing)._oninitialize(request);
    options.onVersion(result.protocolVersion);
    const view = (await options.viewFor?.(extra)) ?? catalogue;
    return view === catalogue ? result : { ...result, capabilities: { ...surface(view).capabilities } };
  });
  server.setRequestHandler(SetLevelRequestSchema, ({ params }) => {
    options.setLogLevel(params.level);
    return {};
  });
  server.fallbackRequestHandler = async (request, extra) => {
    const view = (await options.viewFor?.(extra)) ?? catalogue;
    if (!isCatalogueMethod(request.method) || !surface(view).served['2025'].has(request.method)) throw methodNotFound();
    const answered = await answer(view, request.method, request.params, options.ports(extra));
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

export interface PushOptions {
  readonly extra: LegacyExtra;
  /** What the client declared at `initialize`. */
  readonly capabilities: unknown;
  readonly timeoutMs: () => number;
  /** Keeps the agent awake until the work is done. */
  readonly awake: <T>(work: () => Promise<T>) => Promise<T>;
  readonly report: Reporter;
}

/** Asks the client of a session: a request pushed on the stream of the call that it belongs to. */
export function pushPort(options: PushOptions): AskPort {
  return {
    kind: 'push',
    client: askableOf(options.capabilities),
    push: async (question, signal) => {
      try {
        // Sent before anything is waited for, so that questions asked together keep their order.
        const answer = send(options, question, signal);
        answer.catch(() => undefined);
        return await options.awake(() => answer);
      } catch (cause) {
        report(options.report, { fault: 'unanswered', tool: undefined, cause });
        return undefined;
      }
    },
  };
}

/**
 * Related to the call, so that it reaches clients that hold no GET stream open. The answer is checked by the pipeline:
 * the SDK's own elicitInput compiles a validator, which workerd forbids in a request.
 */
async function send(
  { extra, timeoutMs }: PushOptions,
  { method, params }: AskedQuestion,
  signal: AbortSignal,
): Promise<RawAnswer> {
  const request = { method, params } as unknown as Parameters<LegacyExtra['sendRequest']>[0];
  // A signal of its own: the SDK goes on listening after the answer, and would tell the client that it was cancelled.
  const waiting = new AbortController();
  const cancel = (): void => waiting.abort(signal.reason);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await extra.sendRequest(request, ResultSchema, { signal: waiting.signal, timeout: timeoutMs() });
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
