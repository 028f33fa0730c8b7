/**
 * The operator's HTTP API, under /admin if nothing else is said. The router asks it after the Host check and before Origin and CORS: it is for
 * programs, so a request from a page is refused. Without a sign-in in the configuration it is not there. Every change
 * is in the audit log, and in it before anything moves.
 */
import { reportInternal } from '../../shared/pipeline/report.ts';
import { nothingHere, problemAnswer, type Problem } from './answer.ts';
import { endpointsFor, type Endpoint } from './endpoints.ts';
import type { AdminOptions } from './options.ts';
import type { AdminEnv } from './ports.ts';
import { createSignIn } from './sign-in.ts';

export interface Admin<Env> {
  fetch(request: Request, env: Env, ctx: Pick<ExecutionContext, 'waitUntil'>): Promise<Response>;
}

const BROWSER: Problem = {
  status: 403,
  code: 'browser_not_allowed',
  message: 'Pages may not call this',
  remedy: 'Call it from a program that sends no Origin header, for example: npm run cutover -- status',
};

export function createAdmin<Env extends AdminEnv>(options: AdminOptions<Env>): Admin<Env> {
  const signIn = createSignIn(options.report, options.accessKeys);
  const endpoints = endpointsFor(options);
  const prefix = options.paths.admin;

  return {
    async fetch(request, env, ctx) {
      try {
        return await serve(request, env, ctx);
      } catch (cause) {
        reportInternal(options.report, cause);
        return problemAnswer({
          status: 500,
          code: 'failed',
          message: 'Internal error',
          remedy: "See the Worker's log.",
        });
      }
    },
  };

  async function serve(request: Request, env: Env, ctx: Pick<ExecutionContext, 'waitUntil'>): Promise<Response> {
    const signedIn = await signIn(request.headers, env);
    if (!signedIn.ok && signedIn.problem.status === nothingHere.status) return problemAnswer(signedIn.problem);
    if (request.headers.has('origin')) return problemAnswer(BROWSER);
    if (!signedIn.ok) return problemAnswer(signedIn.problem);
    const url = new URL(request.url);
    const path = url.pathname.slice(prefix.length).replace(/\/$/, '');
    const methods = endpoints.get(path);
    if (methods === undefined)
      return problemAnswer(noSuchPath([...endpoints.keys()].map((below) => `${prefix}${below}`)));
    const endpoint: Endpoint<Env> | undefined = methods[request.method];
    if (endpoint === undefined) return problemAnswer(wrongMethod(Object.keys(methods)));
    const answered = await endpoint({ request, url, env, ctx, caller: signedIn.value });
    return answered.ok ? answered.value : problemAnswer(answered.problem);
  }
}

const noSuchPath = (paths: readonly string[]): Problem => ({
  status: 404,
  code: 'no_such_path',
  message: 'There is nothing at this path',
  remedy: `Use one of ${paths.join(', ')}.`,
});

const wrongMethod = (methods: readonly string[]): Problem => ({
  status: 405,
  code: 'method_not_allowed',
  message: 'This path does not take this method',
  remedy: `Use ${methods.join(' or ')}.`,
  headers: { Allow: methods.join(', ') },
});
