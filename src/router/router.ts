/** The way of a request: the door, the body, the decision and its lane, and the last steps of the answer. */
import type { Admin } from '../cutover/admin/admin.ts';
import type { AdminEnv } from '../cutover/admin/ports.ts';
import type { Census } from '../cutover/census/collect.ts';
import { createCutover, type Cutover } from '../cutover/cutover.ts';
import { report, type Reporter } from '../shared/pipeline/report.ts';
import { doorConfig } from './config.ts';
import { deprecationHeaders, type DeprecationVars } from './deprecation.ts';
import { idOf, readBody, type PostedBody } from './door/body.ts';
import { preflight } from './door/cors.ts';
import { enter } from './door/door.ts';
import { checkHost } from './door/hosts.ts';
import { checkRate } from './door/rate.ts';
import { finish, type Exchange } from './finish.ts';
import { createLaneService, type Asked, type LaneServiceOptions, type Served } from './lane-service.ts';
import { note } from './note.ts';
import { healthPage, landingPage } from './pages.ts';
import { answerDeadline, bodyTooSlow, internal, refusalResponse, type Refusal } from './refusal.ts';
import { subjectOf } from './request-log.ts';
import type { McpRoute } from './routes.ts';
import { startClock, within } from './stream.ts';

export interface RouterOptions<Env> extends Omit<LaneServiceOptions<Env>, 'cutover'> {
  readonly report: Reporter;
  /** Where the flags and the brake are read; the shipped ones where absent. */
  readonly cutover?: (env: Env) => Cutover;
  /** Counts who calls what, where the deployment has a census. */
  readonly census?: Census;
  /** The operator's API, where the deployment has one. */
  readonly admin?: Pick<Admin<Env & AdminEnv>, 'handles' | 'fetch'>;
}

export type Fetch<Env> = (request: Request, env: Env, ctx: ExecutionContext) => Promise<Response>;

export function createRouter<Env extends object>(options: RouterOptions<Env>): Fetch<Env> {
  const { catalogue, legacy } = options;
  const lanes = createLaneService({ ...options, cutover: options.cutover ?? createCutover(options.report) });
  const page = { title: catalogue.info.title, hasLegacy: legacy !== undefined, tools: [...catalogue.tools.keys()] };

  return async (request, env, ctx) => {
    try {
      return await answer(request, env, ctx);
    } catch (cause) {
      report(options.report, { fault: 'lane_error', tool: undefined, cause });
      return refusalResponse(internal);
    }
  };

  async function answer(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
    const config = doorConfig(env);
    // Read before any lane: a bad date must not turn a call that was made into an error.
    deprecationHeaders(env, request.url);
    const url = new URL(request.url);
    if (options.admin?.handles(url.pathname) === true) {
      // Before Origin and CORS: it is for programs, and says so itself to a page.
      const refusal = checkHost(url, request.headers, config);
      return refusal === undefined ? options.admin.fetch(request, env, ctx) : refusalResponse(refusal);
    }
    const entered = enter(request, url, config);
    const exchange: Exchange = {
      request,
      config,
      ctx,
      startedAt: Date.now(),
      route: entered.kind === 'passed' ? entered.route.path : '-',
      subject: { method: request.method === 'POST' ? '-' : request.method, tool: null },
      json: undefined,
      soon: Promise.resolve(undefined),
    };
    switch (entered.kind) {
      case 'refused':
        return finish(exchange, { ...refused(entered.refusal), foreign: !entered.readable });
      case 'preflight':
        return preflight(request, entered.methods);
      case 'passed': {
        const { route } = entered;
        if (route.kind === 'page') return route.page === 'health' ? healthPage() : landingPage(url.origin, page);
        const limited = await checkRate(request.headers, env, options.report);
        return limited === undefined ? serve(exchange, route, env) : finish(exchange, refused(limited));
      }
    }
  }

  async function serve(exchange: Exchange, route: McpRoute, env: Env): Promise<Response> {
    const clock = startClock(exchange.config.answerDeadlineMs);
    const asked = { request: exchange.request, route, env, ctx: exchange.ctx };
    try {
      const timed = { ...exchange, soon: clock.soon };
      return await (exchange.request.method === 'POST'
        ? servePost(timed, asked, clock.late)
        : serveSession(timed, asked, clock.late));
    } finally {
      clock.stop();
    }
  }

  async function serveSession(exchange: Exchange, asked: Asked<Env>, late: Promise<undefined>): Promise<Response> {
    const served = await inTime(lanes.session(asked), late, () => answerDeadline(exchange.config.answerDeadlineMs));
    if (options.census !== undefined) note(options.census, asked, undefined, served);
    return finish(exchange, deprecated(served, asked));
  }

  async function servePost(exchange: Exchange, asked: Asked<Env>, late: Promise<undefined>): Promise<Response> {
    const { maxBodyBytes, answerDeadlineMs } = exchange.config;
    let posted: PostedBody | undefined;
    const work = async (): Promise<Served> => {
      const batches = asked.route.transport === 'streamable';
      const read = await readBody(asked.request, { maxBytes: maxBodyBytes, batches });
      if (!read.ok) return refused(read.refusal);
      posted = read.body;
      return lanes.post(asked, read.body);
    };
    const served = await inTime(work(), late, () =>
      posted === undefined
        ? bodyTooSlow(answerDeadlineMs)
        : { ...answerDeadline(answerDeadlineMs), ...idOf(posted.json) },
    );
    if (posted === undefined) return finish(exchange, served);
    const { json } = posted;
    if (options.census !== undefined) note(options.census, asked, json, served);
    return finish({ ...exchange, json, subject: subjectOf(json, catalogue.tools) }, deprecated(served, asked));
  }
}

/** Whoever is answered on the legacy route is told when that will end. */
function deprecated<Env extends DeprecationVars>(served: Served, { route, env, request }: Asked<Env>): Served {
  if (route.route !== 'legacy') return served;
  return { ...served, extra: { ...deprecationHeaders(env, request.url), ...served.extra } };
}

const refused = (refusal: Refusal): Served => ({
  lane: 'none',
  reason: refusal.reason,
  response: refusalResponse(refusal),
});

/** Whoever gets no word from a lane gets one from the door. */
async function inTime(work: Promise<Served>, late: Promise<undefined>, refusal: () => Refusal): Promise<Served> {
  // What a lane answers later is for nobody, and its stream would stay open.
  const served = await within(work, late, ({ response }) => {
    response.body?.cancel().catch(() => undefined);
  });
  return served ?? refused(refusal());
}
