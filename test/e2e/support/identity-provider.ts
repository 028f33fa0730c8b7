/**
 * A small identity provider over real HTTP, in the manner of GitHub: a page that sends the user back with a code, the
 * exchange of the code, and the user's profile. Users by the names
 * `down` and `slow` find it so, and `denied` is sent back without a code.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface IdentityProvider extends AsyncDisposable {
  readonly url: string;
}

const SECRET = 'the secret of the application';
export const IDENTITY_SECRET = SECRET;

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const waiting: ServerResponse[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (url.pathname === '/login/oauth/authorize') {
      response.writeHead(302, { location: backFrom(url) }).end();
    } else void answer(request, response, { pathname: url.pathname, waiting });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      for (const response of waiting) response.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function backFrom({ searchParams }: URL): string {
  const back = new URL(searchParams.get('redirect_uri') ?? '');
  const login = searchParams.get('login') ?? 'ann';
  if (login === 'denied') back.searchParams.set('error', 'access_denied');
  else back.searchParams.set('code', `code-of-${login}`);
  back.searchParams.set('state', searchParams.get('state') ?? '');
  return String(back);
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { pathname, waiting }: { readonly pathname: string; readonly waiting: ServerResponse[] },
): Promise<void> {
  const json = (status: number, body: object): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  if (pathname === '/login/oauth/access_token') {
    const form = new URLSearchParams(await text(request));
    const login = /^code-of-(.+)$/.exec(form.get('code') ?? '')?.[1];
    if (login === 'slow') {
      waiting.push(response);
      return;
    }
    if (login === 'down') {
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>down</h1>');
      return;
    }
    const isKnown = form.get('client_secret') === SECRET && login !== undefined;
    json(200, isKnown ? { access_token: `upstream-token-of-${login}` } : { error: 'bad_verification_code' });
    return;
  }
  const login = /^Bearer upstream-token-of-(.+)$/.exec(request.headers.authorization ?? '')?.[1];
  if (pathname === '/user' && login !== undefined) json(200, { id: `id-of-${login}`, login });
  else json(401, { message: 'Bad credentials' });
}
