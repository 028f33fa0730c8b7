/**
 * A session of the HTTP+SSE transport lives as long as its stream: a client whose stream has ended opens another one, in
 * another session. So where the stream ends, the session has, and the census is told.
 */
import type { Census } from '../cutover/census/collect.ts';
import type { Inbound } from './inbound.ts';
import type { Served } from './serve.ts';

/** The stream begins with the address for messages, which has the session's id in it. */
const SESSION_ID = /^data: \S*[?&]sessionId=([^&#\s]+)/m;
const LONGEST_OPENING = 4096;

export function tellingEnd<Env extends object>(
  census: Census,
  { request, route, env, ctx }: Inbound<Env>,
  served: Served,
): Served {
  const { response } = served;
  if (route.transport !== 'sse' || request.method !== 'GET' || !response.ok || response.body === null) return served;
  return { ...served, response: new Response(watched(response.body as ReadableStream<Uint8Array>, onEnd), response) };

  function onEnd(opening: string): void {
    const [, id] = SESSION_ID.exec(opening) ?? [];
    if (id !== undefined) ctx.waitUntil(census.sessionEnded(env, id));
  }
}

/** The same bytes, as they come. */
function watched(source: ReadableStream<Uint8Array>, onEnd: (opening: string) => void): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  const decoder = new TextDecoder();
  let opening = '';
  let open = true;
  const end = (): void => {
    if (open) onEnd(opening);
    open = false;
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            end();
            controller.close();
            return;
          }
          if (opening.length < LONGEST_OPENING) opening += decoder.decode(value, { stream: true });
          controller.enqueue(value);
        } catch (cause) {
          end();
          controller.error(cause);
        }
      },
      cancel(reason) {
        end();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
