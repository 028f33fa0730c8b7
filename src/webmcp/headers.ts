/** A `fetch` that puts the page's headers on each request, and asks for them anew after a 401. */
import type { Asking, ServerToolsOptions } from './options.ts';

export interface Sending {
  readonly fetch: typeof fetch;
  /** Milliseconds that the server wants to be left alone for, said with its last 429 or 503. */
  retryAfterMs(): number | undefined;
}

/** @param onAnswer Sees each answer before the client does. */
export function createSending(
  { headers, token }: Pick<ServerToolsOptions, 'headers' | 'token'>,
  onAnswer: (method: string, response: Response) => void,
): Sending {
  const canRenew = typeof headers === 'function' || typeof token === 'function';
  let retryAfterMs: number | undefined;
  let renewing: Promise<Record<string, string>> | undefined;

  async function ofPage(asking: Asking): Promise<Record<string, string>> {
    const given = typeof headers === 'function' ? await headers(asking) : headers;
    const bearer = typeof token === 'function' ? await token(asking) : token;
    return { ...given, ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }) };
  }

  /** Several requests that were refused together ask once. */
  async function renewed(): Promise<Record<string, string>> {
    renewing ??= ofPage({ refused: true }).finally(() => {
      renewing = undefined;
    });
    return renewing;
  }

  async function send(
    input: RequestInfo | URL,
    init: RequestInit = {},
    more: Record<string, string>,
  ): Promise<Response> {
    const all = new Headers(init.headers);
    for (const [name, value] of Object.entries(more)) all.set(name, value);
    return fetch(input, { ...init, headers: all });
  }

  return {
    retryAfterMs: () => retryAfterMs,
    fetch: async (input, init) => {
      let response = await send(input, init, await ofPage({ refused: false }));
      if (response.status === 401 && canRenew) {
        await response.body?.cancel();
        response = await send(input, init, await renewed());
      }
      retryAfterMs = waitOf(response);
      onAnswer(init?.method ?? 'GET', response);
      return response;
    },
  };
}

function waitOf({ status, headers }: Response): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const seconds = Number(headers.get('retry-after') ?? '');
  return seconds > 0 ? seconds * 1000 : undefined;
}
