/** `subscriptions/listen` of a 2026-07-28 client: a stream of what the class says outside of calls, from the caller's object. */
import type { createMcpHandler } from 'agents/mcp/server';
import type { HostedExchange } from '../../lane/hosting.ts';
import { isPlainObject } from '../../shared/json.ts';

export const LISTEN = 'subscriptions/listen';

type Handler = ReturnType<typeof createMcpHandler>;

export interface ListenParts {
  readonly exchange: HostedExchange;
  readonly handler: Handler;
  /** Told of the request as the handler is given it. */
  readonly track: (request: Request) => void;
  readonly onError: (cause: Error) => void;
}

export async function listen(incoming: Request, { exchange, handler, track, onError }: ListenParts): Promise<Response> {
  const { agent, caller, message } = exchange;
  const ended = new AbortController();
  const { url, method, headers } = incoming;
  // Without the body: it has been read, and the package is given what was in it.
  const request = new Request(url, { method, headers, signal: AbortSignal.any([incoming.signal, ended.signal]) });
  track(request);
  const response = await handler.fetch(request, { parsedBody: message.json });
  const body = response.body as ReadableStream<Uint8Array> | null;
  if (body === null || response.headers.get('content-type') !== 'text/event-stream') return response;
  const name = crypto.randomUUID();
  const here = Promise.withResolvers<void>();
  const heard = agent._listenHosted(
    caller,
    { name, uris: urisOf(message.params) },
    async (text) => publish(handler, text),
    here.resolve,
  );
  const over = heard.catch((cause: unknown) => onError(cause instanceof Error ? cause : new Error(String(cause))));
  // An object that ends takes its listeners along: a stream that stayed open would be silent for ever.
  void over.then(() => ended.abort());
  await Promise.race([here.promise, over]);
  const leave = (): void => void agent._cancelHosted(name).catch(() => undefined);
  return new Response(untilLeft(body, leave), response);
}

/** The same stream. @param leave Called when either side has ended it. */
function untilLeft(body: ReadableStream<Uint8Array>, leave: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (!done) return controller.enqueue(value);
      leave();
      controller.close();
    },
    async cancel(reason) {
      leave();
      await reader.cancel(reason);
    },
  });
}

function publish({ notify }: Handler, text: string): void {
  const { method, params } = JSON.parse(text) as {
    readonly method: string;
    readonly params?: { readonly uri?: string };
  };
  switch (method) {
    case 'notifications/tools/list_changed':
      return notify.toolsChanged();
    case 'notifications/prompts/list_changed':
      return notify.promptsChanged();
    case 'notifications/resources/list_changed':
      return notify.resourcesChanged();
    case 'notifications/resources/updated':
      return notify.resourceUpdated(params?.uri ?? '');
  }
}

function urisOf({ notifications }: HostedExchange['message']['params']): readonly string[] {
  const uris = isPlainObject(notifications) ? notifications['resourceSubscriptions'] : undefined;
  return Array.isArray(uris) ? uris.filter((uri): uri is string => typeof uri === 'string') : [];
}
