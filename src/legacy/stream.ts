/**
 * The client's side of a stream of the legacy lane. The package takes an agent's messages from a WebSocket to the client's
 * stream, and never closes the socket itself: here it is closed when the client is gone, so that the agent knows whom it
 * still serves. A stream that only listens says nothing for hours, and a connection without a byte is cut on its way after
 * a minute or several: here it carries a comment from time to time, which also finds out that the client is gone.
 */

/** Parsers of event streams drop lines that begin with a colon (HTML standard, server-sent events). */
const COMMENT = new TextEncoder().encode(': keepalive\n\n');

type Listener = (event: Event) => void;

/** The socket between the Worker and an agent, for one request of a client. */
export class Bridge {
  #socket: WebSocket | undefined;
  #left = false;

  /** An agent's response as the package is to see it. */
  over(response: Response): Response {
    const { webSocket } = response;
    if (webSocket === null) return response;
    this.#socket = webSocket;
    // All that the package does with a response, and with its socket.
    return { webSocket: this.#quiet(webSocket) } as unknown as Response;
  }

  /** What still comes when the client has left is for nobody. */
  #quiet(socket: WebSocket): object {
    return {
      accept: () => socket.accept(),
      close: (code?: number, reason?: string) => socket.close(code, reason),
      addEventListener: (type: 'close' | 'error' | 'message', listener: Listener) =>
        socket.addEventListener(type, (event: Event) => {
          if (!this.#left || type !== 'message') listener(event);
        }),
    };
  }

  /**
   * The package's answer to the client, whose stream closes the socket when its client leaves.
   * @param keepAliveMs Milliseconds between comments. Undefined for a stream that needs none.
   */
  answer(response: Response, keepAliveMs: number | undefined): Response {
    const source = response.body as ReadableStream<Uint8Array> | null;
    if (source === null || this.#socket === undefined) return response;
    const reader = source.getReader();
    let stopComments = (): void => undefined;
    const body = new ReadableStream<Uint8Array>(
      {
        start(controller) {
          if (keepAliveMs === undefined) return;
          const timer = setInterval(() => {
            // A client that does not read gets no second comment before it has read the first.
            if ((controller.desiredSize ?? -1) >= 0) controller.enqueue(COMMENT);
          }, keepAliveMs);
          stopComments = () => clearInterval(timer);
        },
        async pull(controller) {
          try {
            const { done, value } = await reader.read();
            if (!done) return controller.enqueue(value);
            stopComments();
            controller.close();
          } catch (cause) {
            stopComments();
            controller.error(cause);
          }
        },
        cancel: () => {
          stopComments();
          this.#left = true;
          this.#socket?.close(1000, 'The client has gone');
          // Not cancelled, but read to its end: the package would log that as an error.
          drain(reader).catch(() => undefined);
        },
      },
      // Nothing is read ahead, so that a slow client slows the agent down and does not fill the memory.
      { highWaterMark: 0 },
    );
    return new Response(body, response);
  }
}

async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  while (!(await reader.read()).done);
}
