/**
 * A small identity provider over real HTTP, in the manner of GitHub: a page that sends the user back with a code, the
 * exchange of the code, and the user's profile. It can be told to be down, or to let a request wait.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface IdentityProvider extends AsyncDisposable {
  readonly url: string;
  /** What requests for tokens and profiles get from now on. */
  state: 'up' | 'down' | 'slow';
  /** The paths that were asked for, in order. */
  readonly asked: readonly string[];
}

const SECRET = 'the secret of the application';
export const IDENTITY_SECRET = SECRET;

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const asked: string[] = [];
  const waiting: ServerResponse[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    asked.push(url.pathname);
    if (url.pathname === '/login/oauth/authorize') {
      const back = new URL(url.searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', `code-of-${url.searchParams.get('login') ?? 'ann'}`);
      back.searchParams.set('state', url.searchParams.get('state') ?? '');
      response.writeHead(302, { location: String(back) }).end();
    } else if (provider.state === 'slow') waiting.push(response);
    else if (provider.state === 'down') response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>down</h1>');
    else void answer(request, response, url.pathname);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const provider: IdentityProvider = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    state: 'up',
    asked,
    [Symbol.asyncDispose]: async () => {
      for (const response of waiting) response.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
}

async function answer(request: IncomingMessage, response: ServerResponse, pathname: string): Promise<void> {
  const json = (status: number, body: object): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  if (pathname === '/login/oauth/access_token') {
    const form = new URLSearchParams(await text(request));
    const login = /^code-of-(.+)$/.exec(form.get('code') ?? '')?.[1];
    const isKnown = form.get('client_secret') === SECRET && login !== undefined;
    json(200, isKnown ? { access_token: `upstream-token-of-${login}` } : { error: 'bad_verification_code' });
    return;
  }
  const login = /^Bearer upstream-token-of-(.+)$/.exec(request.headers.authorization ?? '')?.[1];
  if (pathname === '/user' && login !== undefined) json(200, { id: `id-of-${login}`, login });
  else json(401, { message: 'Bad credentials' });
}
