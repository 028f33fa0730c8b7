/**
 * An identity provider in the manner of GitHub that believes whatever name it is told. Without any memory: its codes and
 * tokens say whom they are for, so nothing that is worth anything may ever trust it.
 */
export const IDENTITY_PATH = '/identity';

const PAGE = (query: string): string => `<!doctype html>
<meta charset="utf-8">
<title>Development sign-in</title>
<h1>Sign in, for development</h1>
<form method="get" action="?">
${[...new URLSearchParams(query)].map(([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`).join('\n')}
<label>Name <input name="login" value="ann" required pattern="[a-z0-9-]+"></label>
<button>Sign in</button>
</form>`;

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

/** The three URLs of the flow, below any path: `/login/oauth/authorize`, `/login/oauth/access_token` and `/user`. */
export async function answerAsIdentityProvider(request: Request): Promise<Response> {
  const url = new URL(request.url);
  if (url.pathname.endsWith('/login/oauth/authorize')) return signedIn(url);
  if (url.pathname.endsWith('/login/oauth/access_token')) {
    const code = (await request.formData()).get('code');
    const login = typeof code === 'string' ? nameIn(code, 'code') : undefined;
    return login === undefined
      ? Response.json({ error: 'bad_verification_code' })
      : Response.json({ access_token: `token-${login}`, token_type: 'bearer' });
  }
  const login = nameIn(request.headers.get('authorization') ?? '', 'Bearer token');
  return login === undefined
    ? Response.json({ message: 'Bad credentials' }, { status: 401 })
    : Response.json({ id: `id-of-${login}`, login });
}

function signedIn(url: URL): Response {
  const { searchParams } = url;
  const login = searchParams.get('login');
  const callback = searchParams.get('redirect_uri');
  if (callback === null || !URL.canParse(callback) || new URL(callback).origin !== url.origin) {
    return new Response('The redirect_uri is not this server\n', { status: 400 });
  }
  if (login === null || !/^[a-z0-9-]+$/.test(login)) {
    return new Response(PAGE(url.search), { headers: { 'Content-Type': 'text/html; charset=utf-8' } });
  }
  const back = new URL(callback);
  back.searchParams.set('code', `code-${login}`);
  back.searchParams.set('state', searchParams.get('state') ?? '');
  return new Response(null, { status: 302, headers: { Location: String(back) } });
}

const nameIn = (text: string, prefix: string): string | undefined =>
  new RegExp(`^${prefix}-([a-z0-9-]+)$`).exec(text)?.[1];
