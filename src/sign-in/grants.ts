/**
 * Lets a refresh go on for the resource that its grant is for. Clients name the resource that the URL they are at announces
 * (RFC 8707, section 2.2), so one that has moved to another URL of the same server names another than its grant has. An
 * authorization server refuses that with `invalid_target`, from which clients of both SDKs find no way to a new sign-in.
 */
import { isSameResource, resourceAt } from './resources.ts';

const FORM = 'application/x-www-form-urlencoded';
/** A refresh is a few hundred characters, and a confidential client's assertion a few thousand. */
const LONGEST_FORM = 64 * 1024;
const decoder = new TextDecoder();

/**
 * The same request, without the resource if it is a refresh that names one of these: it is then for that of its grant.
 * Every other request is given back as it is.
 *
 * @param request A request to the token endpoint of the authorization server.
 * @param resources All resources of one server, as in the option of `signIn`: a token for any of them is good on every route.
 * @example
 * ```ts
 * import type { OAuthAuthorizationServer } from '@cloudflare/workers-oauth-provider';
 * declare const server: OAuthAuthorizationServer<Env>;
 * const answer = async (request: Request, env: Env, ctx: ExecutionContext) =>
 *   server.fetch(await keepGrants(request, ['/', '/mcp', '/sse']), env, ctx);
 * ```
 */
export async function keepGrants(request: Request, resources: readonly string[]): Promise<Request> {
  const { method, headers } = request;
  const length = Number(headers.get('content-length') ?? Number.NaN);
  if (method !== 'POST' || headers.get('content-type')?.includes(FORM) !== true || !(length <= LONGEST_FORM)) {
    return request;
  }
  const form = new URLSearchParams(decoder.decode(await request.clone().arrayBuffer()));
  const named = form.getAll('resource');
  const url = new URL(request.url);
  const own = resources.map((one) => resourceAt(one, url));
  const isOwn = named.length > 0 && named.every((one) => own.some((other) => isSameResource(one, other)));
  if (form.get('grant_type') !== 'refresh_token' || !isOwn) return request;
  form.delete('resource');
  const changed = new Headers(headers);
  changed.delete('content-length');
  return new Request(request, { method, headers: changed, body: String(form) });
}
