/**
 * The second argument of a handler, with the members that both SDKs give it: those of SDK v1 at its root, those of SDK v2
 * below `mcpReq` and `http`. Everything is said through the tool's context, so it is the same on every lane.
 */
import type { CallContext, CallRequest, LogLevel, ToolContext } from '../shared/define/context.ts';
import type { Sample } from '../shared/define/questions.ts';
import { isPlainObject, type JsonObject } from '../shared/json.ts';
import { formSchema } from './form.ts';

/** A notification or a request as a handler writes it. */
interface Said {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** What a handler is given beside its arguments. */
export interface HandlerExtra {
  readonly signal: AbortSignal;
  readonly requestId: string | number;
  readonly sessionId?: string | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
  readonly authInfo?: unknown;
  readonly requestInfo?: { readonly headers: Readonly<Record<string, string>>; readonly url?: URL } | undefined;
  /** Carries progress of this call, and log messages. */
  sendNotification(notification: Said): Promise<void>;
  /** Carries `elicitation/create`, `sampling/createMessage` and `roots/list`. */
  sendRequest(request: Said, resultSchema?: unknown, options?: unknown): Promise<Record<string, unknown>>;
  readonly mcpReq: {
    readonly id: string | number;
    readonly method: string;
    readonly _meta?: Readonly<Record<string, unknown>>;
    readonly signal: AbortSignal;
    notify(notification: Said): Promise<void>;
    send(request: Said, resultSchema?: unknown, options?: unknown): Promise<Record<string, unknown>>;
    log(level: LogLevel, data: unknown, logger?: string): Promise<void>;
    elicitInput(params: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>>;
    requestSampling(params: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>>;
  };
  readonly http?: { readonly authInfo?: unknown; readonly req?: Request } | undefined;
}

export function extraFor(method: string, ctx: CallContext): HandlerExtra {
  const sendNotification = async (said: Said): Promise<void> => notify(ctx, said);
  let asked = 0;
  const sendRequest = async (said: Said): Promise<Record<string, unknown>> => {
    // The same handler asks the same in the same order, so the number names the question in every round of a call.
    asked += 1;
    return ask(ctx, `q${asked}`, said);
  };
  // Few handlers read any of it, and a lane has to collect it.
  let read: CallRequest | undefined;
  const request = (): CallRequest | undefined => (read ??= ctx.request);
  return {
    get signal() {
      return ctx.signal;
    },
    get requestId() {
      return request()?.id ?? 0;
    },
    get sessionId() {
      return request()?.sessionId;
    },
    get _meta() {
      return request()?.meta;
    },
    get authInfo() {
      return request()?.authInfo;
    },
    get requestInfo() {
      const { headers, url } = request() ?? {};
      return headers === undefined ? undefined : { headers, ...(url !== undefined && { url: new URL(url) }) };
    },
    sendNotification,
    sendRequest,
    get mcpReq() {
      const { id = 0, meta } = request() ?? {};
      return {
        id,
        method,
        ...(meta !== undefined && { _meta: meta }),
        get signal() {
          return ctx.signal;
        },
        notify: sendNotification,
        send: sendRequest,
        log: async (level: LogLevel, data: unknown) => log(ctx, level, data),
        elicitInput: (params: Said['params']) => sendRequest({ method: 'elicitation/create', params }),
        requestSampling: (params: Said['params']) => sendRequest({ method: 'sampling/createMessage', params }),
      };
    },
    get http() {
      const { headers, url, authInfo } = request() ?? {};
      if (headers === undefined) return undefined;
      return {
        ...(authInfo !== undefined && { authInfo }),
        get req() {
          return new Request(url ?? 'http://localhost/', { headers });
        },
      };
    },
  };
}

export function log(ctx: CallContext, level: LogLevel, data: unknown): void {
  // A context's message is a text; what goes on the wire may be any JSON.
  tellable(ctx, 'told').log(level, data as string);
}

function notify(ctx: CallContext, { method, params = {} }: Said): void {
  if (method === 'notifications/progress') {
    const { progress, total, message, progressToken } = params;
    const own = ctx.request?.meta?.['progressToken'];
    if (progressToken !== undefined && progressToken !== own) {
      throw new TypeError(
        'This progress token is not the one of the call. Send the token of extra._meta.progressToken.',
      );
    }
    tellable(ctx, 'told').progress({
      progress: Number(progress),
      ...(typeof total === 'number' && { total }),
      ...(typeof message === 'string' && { message }),
    });
    return;
  }
  if (method === 'notifications/message') return log(ctx, params['level'] as LogLevel, params['data']);
  throw new TypeError(
    `${method} cannot be sent: a call without a session has a stream for its progress and its log messages only. Leave the tool hosted if it needs more.`,
  );
}

async function ask(given: CallContext, key: string, { method, params = {} }: Said): Promise<Record<string, unknown>> {
  const ctx = tellable(given, 'asked');
  switch (method) {
    case 'elicitation/create': {
      const { message, requestedSchema, mode = 'form' } = params;
      if (mode !== 'form' || !isPlainObject(requestedSchema)) {
        throw new TypeError('Only a form can be asked for: give "message" and "requestedSchema".');
      }
      return {
        ...(await ctx.ask(key, { message: String(message), schema: formSchema(requestedSchema as JsonObject) })),
      };
    }
    case 'sampling/createMessage':
      return sampled(await ctx.sample(key, withBlocks(params)));
    case 'roots/list':
      return { roots: await ctx.roots(key) };
    default:
      throw new TypeError(
        `${method} cannot be asked of a client here. Known requests: elicitation/create, sampling/createMessage, roots/list.`,
      );
  }
}

/** Lists, resources and completions are answered at once, so nothing can be said beside them. */
function tellable(ctx: CallContext, what: string): ToolContext {
  if ('ask' in ctx) return ctx as ToolContext;
  throw new TypeError(`A client is ${what} by a tool or a prompt only.`);
}

type SampleRequest = Parameters<ToolContext['sample']>[1];

/** Only what the lanes carry of it; the others are hints to the client. */
function withBlocks(params: Readonly<Record<string, unknown>>): SampleRequest {
  const { messages, maxTokens, systemPrompt, temperature, stopSequences } = params;
  const known = { messages, maxTokens, systemPrompt, temperature, stopSequences };
  const given = Object.entries(known).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as unknown as SampleRequest;
}

const sampled = ({ content, model, stopReason }: Sample): Record<string, unknown> => ({
  role: 'assistant',
  content: content.length === 1 ? content[0] : content,
  model,
  ...(stopReason !== undefined && { stopReason }),
});
