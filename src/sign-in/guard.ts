/** The sign-in in front of any other handler, such as a class of one's own: `guard(door, MyMCP.serve('/mcp'))`. */
import { answerOf, letIn } from '../router/sign-in.ts';
import { reportUnavailable, type Reporter } from '../shared/pipeline/report.ts';
import { consoleReporter } from '../state/log.ts';
import type { SignIn } from './sign-in.ts';

/** A handler, as Workers have them. */
export interface Guarded<Env> {
  fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> | Response;
  /** The answer that no sign-in would change, such as that of a route which is gone; undefined for every other request. */
  closed?(request: Request, env: Env, ctx: ExecutionContext): Promise<Response | undefined>;
}

/** What `guard` is given. */
export interface GuardOptions {
  /** Where MCP requests are answered. Default: `/mcp`, `/sse`. */
  readonly paths?: readonly string[];
  /** Told why a token could not be checked. Default: a line in the log, without the token. */
  readonly report?: Reporter;
}

const PATHS = ['/mcp', '/sse'] as const;

/**
 * Puts a sign-in in front of a handler. The properties are handed on as the sign-in gives them, in `ctx.props`, and what is
 * known of the token in `ctx.auth`. The well-known documents and preflights of pages answer without a token. Paths beside
 * the ones that are named are the handler's own, without a sign-in.
 *
 * @example
 * ```ts
 * import { sessionAgent } from 'hybrid-mcp/agent';
 * const door = signIn({ tokens: (token) => (token === 'a secret' ? { subject: 'ann' } : undefined) });
 * export class MyMCP extends sessionAgent(OwnMCP) {}
 * export default guard(door, MyMCP.serve('/mcp'));
 * ```
 */
export function guard<Env extends object>(
  signIn: SignIn<Env>,
  handler: Guarded<Env>,
  { paths = PATHS, report = consoleReporter }: GuardOptions = {},
): Guarded<Env> {
  const isGuarded = (pathname: string): boolean =>
    paths.some((path) => path === '/' || pathname === path || pathname.startsWith(`${path}/`));
  return {
    fetch: async (request, env, ctx) => {
      const url = new URL(request.url);
      const document = signIn.document(request, url, paths);
      if (document !== undefined) return document;
      if (request.method === 'OPTIONS' || !isGuarded(url.pathname)) return handler.fetch(request, env, ctx);
      const admission = await signIn.admit(request, url, env);
      if (admission.kind !== 'admitted') {
        if (admission.kind === 'unavailable') reportUnavailable(report, admission.cause);
        // Nobody should have to sign in to learn that there is nothing here any more.
        return (await handler.closed?.(request, env, ctx)) ?? answerOf(admission.refusal, request);
      }
      letIn(ctx, admission);
      return handler.fetch(request, env, ctx);
    },
  };
}
