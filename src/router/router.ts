/** The path of a request: validation, the body, the decision and its lane, and the last steps of the answer. */
import type { Admin } from '../cutover/admin/admin.ts';
import type { AdminEnv } from '../cutover/admin/ports.ts';
import type { Census } from '../cutover/census/collect.ts';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import { NOBODY, type Caller, type CallerReader } from '../shared/caller.ts';
import { answerIdOf, type Message } from '../shared/message.ts';
import { reportInternal, reportUnavailable, type Reporter } from '../shared/pipeline/report.ts';
import type { DoorConfig } from './config.ts';
import { readBody } from './door/body.ts';
import { preflight } from './answer.ts';
import { checkHost, enter } from './door/door.ts';
import { checkRate, type RateKeyReader, type RateLimitEnv } from './door/rate.ts';
import { finish, type Exit } from './finish.ts';
import { inboundOf, type Arrived, type Halves, type Inbound } from './inbound.ts';
import { note, tellingEnd } from './note.ts';
import { withRefusal } from './outcome.ts';
import { healthPage, landingPage } from './pages.ts';
import { answerDeadline, bodyTooSlow, gone, internal, refusalResponse, switchedOff, type Refusal } from './refusal.ts';
import type { McpRoute, PageRoute, Routes } from './routes.ts';
import { createServe, type Served, type ServeOptions } from './serve.ts';
import { letIn, type SignInDoor } from './sign-in.ts';
import { startClock, within } from './stream.ts';
import { createWebmcp, type WebmcpFiles } from './webmcp.ts';

export interface RouterOptions<Env> extends ServeOptions<Env>, Halves<Env> {
  readonly routes: Routes;
  readonly catalogue: Catalogue;
  readonly report: Reporter;
  readonly callerOf: CallerReader;
  /** The environment as the platform hands it over, under the names that the router uses. */
  readonly envOf: (env: object) => Env;
  /** No config for an environment that cannot be used, which has been reported. */
  readonly environmentOf: (env: Env) => { readonly config: DoorConfig | undefined };
  /** What requests are limited by, in place of the client's address. */
  readonly rateKeyOf?: RateKeyReader;
  /** Counts requests per client, if the deployment has a census. */
  readonly census?: Census;
  /** Who may call, if this Worker asks itself; otherwise what stands in front of it has asked, or nobody does. */
  readonly signIn?: SignInDoor<Env>;
  /** The operator API, if the deployment has one. */
  readonly admin?: Pick<Admin<Env & AdminEnv>, 'fetch'>;
  /** What browsers load to have the tools in their model context, if the deployment serves it. */
  readonly webmcp?: WebmcpFiles;
}

/** A request whose route is known. */
interface Arriving<Env> {
  readonly route: McpRoute;
  readonly env: Env;
  readonly ctx: ExecutionContext;
}

export type Fetch = (request: Request, env: object, ctx: ExecutionContext) => Promise<Response>;

export function createRouter<Env extends RateLimitEnv>(options: RouterOptions<Env>): Fetch {
  const { catalogue, legacy, routes } = options;
  const serve = createServe(options);
  const page = {
    title: catalogue.info.title,
    paths: routes.paths,
    hasLegacy: legacy !== undefined,
    ...(options.webmcp?.page !== undefined && { webmcp: routes.paths.webmcp }),
  };
  const webmcp = options.webmcp === undefined ? undefined : createWebmcp(options.webmcp);

  return async (request, env, ctx) => {
    try {
      return await answer(request, options.envOf(env), ctx);
    } catch (cause) {
      reportInternal(options.report, cause);
      return refusalResponse(internal);
    }
  };

  async function answer(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
    const { config } = options.environmentOf(env);
    if (config === undefined) return refusalResponse(internal);
    const url = new URL(request.url);
    if (options.admin !== undefined && routes.isAdmin(url.pathname)) {
      // Before Origin and CORS: it is for programs, and says so itself to a page.
      const refusal = checkHost(url, request.headers, config);
      return refusal === undefined ? options.admin.fetch(request, env, ctx) : refusalResponse(refusal);
    }
    // Before Origin, too: a client in a page reads it before it knows where to sign in.
    const document = options.signIn?.document(request, url, [routes.paths.mcp, routes.paths.legacy, routes.paths.sse]);
    if (document !== undefined) {
      const refusal = checkHost(url, request.headers, config);
      return refusal === undefined ? document : refusalResponse(refusal);
    }
    const entered = enter(request, url, { ...config, routes });
    const exit: Exit = { request, config, ctx, startedAt: Date.now(), tools: catalogue.tools };
    switch (entered.kind) {
      case 'refused':
        return finish(exit, { ...refused(entered.refusal), foreign: !entered.readable });
      case 'preflight':
        return preflight(request, entered.methods, config.allowedHeaders);
      case 'passed': {
        const { route } = entered;
        if (route.kind === 'page') return pageAt(route, request, url, options.callerOf(ctx.props));
        const { caller, refusal } = await letPass(request, url, { route, env, ctx });
        if (refusal !== undefined) return finish({ ...exit, route: route.path }, refused(refusal));
        // Clients of the legacy lane are told when its routes will end.
        const extra = route.route === 'mcp' ? undefined : endOf(config, routes.successor(request.url));
        return serveInTime({ ...exit, route: route.path }, { request, route, env, ctx, config, caller }, extra);
      }
    }
  }

  /**
   * The limit and the sign-in. A limit by address comes before the token is checked, so that whoever guesses tokens costs no
   * check; a key of the deployment's own may want to know the caller, and counts those who are refused as nobody.
   */
  async function letPass(
    request: Request,
    url: URL,
    arriving: Arriving<Env>,
  ): Promise<{ readonly caller: Caller; readonly refusal?: Refusal | undefined }> {
    const limiter = arriving.env.RATE_LIMITER;
    const limited = async (caller: Caller): Promise<Refusal | undefined> =>
      limiter === undefined ? undefined : checkRate(limiter, request, { ...options, caller });
    const byAddress = options.rateKeyOf === undefined;
    const early = byAddress ? await limited(NOBODY) : undefined;
    if (early !== undefined) return { caller: NOBODY, refusal: early };
    const unknown = await checkSignIn(request, url, arriving);
    const caller = unknown === undefined ? options.callerOf(arriving.ctx.props) : NOBODY;
    const late = byAddress ? undefined : await limited(caller);
    return { caller, refusal: late ?? unknown };
  }

  async function pageAt(route: PageRoute, request: Request, url: URL, caller: Caller): Promise<Response> {
    if (route.page === 'health') return healthPage();
    if (route.page === 'webmcp' && webmcp !== undefined) return webmcp(route.part, request);
    const { tools } = options.definitionsFor?.(caller) ?? catalogue;
    return landingPage(url.origin, { ...page, tools: [...tools.keys()] });
  }

  /** Undefined for whoever may pass; their properties are on the context from then on. */
  async function checkSignIn(
    request: Request,
    url: URL,
    { route, env, ctx }: Arriving<Env>,
  ): Promise<Refusal | undefined> {
    if (options.signIn === undefined) return undefined;
    const admission = await options.signIn.admit(request, url, env);
    if (admission.kind === 'admitted') {
      letIn(ctx, admission);
      return undefined;
    }
    // Nobody should have to sign in to learn that there is nothing here any more.
    const { stage } = await options.cutover(env).stageOf(route.route, ctx);
    if (route.route !== 'mcp' && (legacy === undefined || stage === 'gone')) return gone(routes.successor(request.url));
    if (stage === 'off') return switchedOff;
    if (admission.kind === 'unavailable') reportUnavailable(options.report, admission.cause);
    return admission.refusal;
  }

  async function serveInTime(exit: Exit, arrived: Arrived<Env>, extra: Served['extra']): Promise<Response> {
    const clock = startClock(arrived.config.answerDeadlineMs);
    let inbound: Inbound<Env> | undefined;
    let message: Message | undefined;
    const work = async (): Promise<Served> => {
      if (arrived.request.method === 'POST') {
        const { maxBodyBytes: maxBytes } = arrived.config;
        const read = await readBody(arrived.request, { maxBytes, batches: arrived.route.transport === 'streamable' });
        if (!read.ok) return refused(read.refusal);
        ({ message } = read);
      }
      inbound = await inboundOf(arrived, message, options);
      return serve(inbound);
    };
    try {
      const answered = await withRefusal(await inTime(work(), clock.late, () => tooLate(arrived, message)));
      const served = inbound === undefined ? answered : noted(options.census, inbound, answered);
      const dressed =
        inbound === undefined || extra === undefined ? served : { ...served, extra: { ...extra, ...served.extra } };
      return await finish({ ...exit, soon: clock.soon, ...(message !== undefined && { message }) }, dressed);
    } finally {
      clock.stop();
    }
  }
}

/** What an answer of the legacy routes says of their end, if the operator has set a date. */
function endOf({ deprecation }: DoorConfig, successor: string): Served['extra'] {
  return deprecation && { ...deprecation, Link: `<${successor}>; rel="successor-version"` };
}

function tooLate({ request, config }: Arrived<unknown>, message: Message | undefined): Refusal {
  const { answerDeadlineMs } = config;
  if (message !== undefined) return { ...answerDeadline(answerDeadlineMs), ...answerIdOf(message) };
  return request.method === 'POST' ? bodyTooSlow(answerDeadlineMs) : answerDeadline(answerDeadlineMs);
}

function noted<Env extends object>(census: Census | undefined, inbound: Inbound<Env>, served: Served): Served {
  if (census === undefined) return served;
  note(census, inbound, served);
  return tellingEnd(census, inbound, served);
}

const refused = (refusal: Refusal): Served => ({
  lane: 'none',
  reason: refusal.reason,
  response: refusalResponse(refusal),
});

/** A request that no lane answers in time is refused. */
async function inTime(work: Promise<Served>, late: Promise<undefined>, refusal: () => Refusal): Promise<Served> {
  // What a lane answers later is for nobody, and its stream would stay open.
  const served = await within(work, late, ({ response }) => {
    response.body?.cancel().catch(() => undefined);
  });
  return served ?? refused(refusal());
}
