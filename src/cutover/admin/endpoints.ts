/** What each path of the operator API does for an authenticated caller. */
import { reportUnavailable } from '../../shared/pipeline/report.ts';
import { idleMs } from '../../state/times.ts';
import { agentName, type SessionAgentApi } from '../../state/transfer.ts';
import type { By } from '../flag-record.ts';
import { operatorOf, type OperatorApi } from '../operator.ts';
import { ROUTE_SETTINGS } from '../stage.ts';
import { answer, given, refuse, type Problem, type Result } from './answer.ts';
import { AuditBody, badRequest, BrakeBody, ForgetBody, readBody, SessionsBody } from './body.ts';
import { NO_CENSUS } from './census-port.ts';
import { FlagBody, flagStep } from './flag-change.ts';
import { foundAnswer, foundDetail } from './forget.ts';
import type { AdminNames, AdminOptions } from './options.ts';
import type { AdminEnv, Agent, CensusSummary } from './ports.ts';
import { retireReport } from './retire.ts';
import { beginsDetail, moveDetail, moveSessions, type Move } from './sessions.ts';
import type { Caller } from './sign-in.ts';
import { readStages, statusOf } from './status.ts';

export interface Asked<Env> {
  readonly request: Request;
  readonly url: URL;
  readonly env: Env;
  readonly ctx: Pick<ExecutionContext, 'waitUntil'>;
  readonly caller: Caller;
}

export type Endpoint<Env> = (asked: Asked<Env>) => Promise<Result<Response>>;
/** By path below /admin, and method. */
export type Endpoints<Env> = ReadonlyMap<string, Readonly<Partial<Record<string, Endpoint<Env>>>>>;

const noOperator = ({ operator }: AdminNames): Problem => ({
  status: 503,
  code: 'no_operator_object',
  message: 'This Worker has no place for the brake and the audit log',
  remedy: `Bind ${operator} to the class of the operator's object in the Wrangler configuration, and deploy.`,
});
const noLegacy = ({ legacy }: AdminNames): Problem => ({
  status: 409,
  code: 'no_legacy_lane',
  message: 'This Worker has no legacy lane: there are no sessions to move, and there is nothing to retire',
  remedy: `Bind ${legacy}, unless the legacy half has been removed.`,
});
const nothingToBrake = ({ legacy }: AdminNames): Problem => ({
  status: 409,
  code: 'no_legacy_lane',
  message: 'The brake can do nothing here: this Worker has no legacy lane to put new sessions on',
  remedy: `Bind ${legacy}, unless the legacy half has been removed: then go back to an earlier stage or version by other means.`,
});
/** Who has signed in with the admin token. */
const TOKEN_HOLDER = 'admin token';
const WITHOUT_CENSUS: Problem = {
  status: 404,
  code: 'no_census',
  message: 'This Worker has no census',
  remedy: 'Leave the option "census" of createHybrid out, and deploy.',
};
const WHO_IS_MISSING = badRequest('The body does not say who', 'Send "who": a name for the audit log.');

const DEFAULT_ENTRIES = 50;
const MAX_ENTRIES = 1_000;

export function endpointsFor<Env extends AdminEnv>(options: AdminOptions<Env>): Endpoints<Env> {
  const { census, stages, names } = options;
  const now = options.now ?? Date.now;
  const onError = (cause: unknown): void => reportUnavailable(options.report, cause);

  return new Map<string, Readonly<Partial<Record<string, Endpoint<Env>>>>>([
    ['/status', { GET: async ({ env, ctx }) => given(answer(await status(env, ctx))) }],
    ['/census', { GET: readCensus }],
    ['/census/forget', { POST: forget }],
    ['/brake', { POST: brake }],
    ['/audit', { GET: auditLog, POST: audit }],
    ['/flag', { POST: flag }],
    ['/drain', { POST: move('drain') }],
    ['/take-back', { POST: move('take_back') }],
    ['/sessions/end', { POST: move('end') }],
    ['/retire-check', { GET: retireCheck }],
  ]);

  async function status(env: Env, ctx: Asked<Env>['ctx']): Promise<object> {
    return statusOf({
      server: options.catalogue.info,
      paths: options.paths,
      settings: options.settings ?? ROUTE_SETTINGS,
      names,
      warnings: options.warningsOf?.(env) ?? [],
      env,
      stages: await readStages(stages(env), ctx),
      brake: await trying(operatorOf(env)?.brake()),
      census: await censusOf(env),
      records: await trying(operatorOf(env)?.flagRecords()),
    });
  }

  async function flag({ request, env, caller }: Asked<Env>): Promise<Result<Response>> {
    const body = await readBody(request, FlagBody);
    return body.ok ? change(env, caller, body.value, (operator, by) => flagStep(body.value, operator, by)) : body;
  }

  /** Undefined if there is none, or if it cannot be read. */
  async function censusOf(env: Env): Promise<CensusSummary | undefined> {
    return census === NO_CENSUS ? undefined : trying<CensusSummary>(census.read(env));
  }

  async function readCensus({ env }: Asked<Env>): Promise<Result<Response>> {
    return census === NO_CENSUS ? refuse(WITHOUT_CENSUS) : given(answer(await census.read(env)));
  }

  async function forget({ request, env, caller }: Asked<Env>): Promise<Result<Response>> {
    const body = await readBody(request, ForgetBody);
    if (!body.ok) return body;
    if (census === NO_CENSUS) return refuse(WITHOUT_CENSUS);
    const { dryRun, why } = body.value;
    const found = await census.findJunk(env, body.value);
    if (dryRun) return given(answer(foundAnswer(found, dryRun)));
    return change(env, caller, body.value, async (operator, by) => {
      const detail = foundDetail(body.value, found);
      await operator.audit({ ...by, action: 'census_forget', detail, ...(why !== undefined && { why }) });
      await census.forgetJunk(env, found);
      return given(answer(foundAnswer(found, dryRun)));
    });
  }

  async function brake({ request, env, caller }: Asked<Env>): Promise<Result<Response>> {
    const body = await readBody(request, BrakeBody);
    if (!body.ok) return body;
    const { on, why, who: said } = body.value;
    if (on && env.LEGACY_AGENT === undefined) return refuse(nothingToBrake(names));
    const setBrake = async (operator: OperatorApi, by: By): Promise<Result<Response>> =>
      given(answer({ brake: await operator.setBrake(on, by.who, why, by.said) }));
    // Who has to brake has no time for a name either.
    return change(env, caller, { who: said, mayBeNameless: on }, setBrake);
  }

  async function auditLog({ url, env }: Asked<Env>): Promise<Result<Response>> {
    const limit = Number(url.searchParams.get('limit') ?? DEFAULT_ENTRIES);
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_ENTRIES) {
      return refuse(badRequest('limit cannot be taken', `Use a whole number from 1 to ${MAX_ENTRIES}.`));
    }
    const operator = operatorOf(env);
    return operator === undefined
      ? refuse(noOperator(names))
      : given(answer({ entries: await operator.auditLog(limit) }));
  }

  async function audit({ request, env, caller }: Asked<Env>): Promise<Result<Response>> {
    const body = await readBody(request, AuditBody);
    if (!body.ok) return body;
    const { action, detail, why } = body.value;
    return change(env, caller, body.value, async (operator, by) => {
      await operator.audit({ ...by, action, detail, why });
      return given(answer({ audited: true }));
    });
  }

  function move(kind: Move): Endpoint<Env> {
    return async ({ request, env, caller }) => {
      const body = await readBody(request, SessionsBody);
      if (!body.ok) return body;
      const agents = env.LEGACY_AGENT;
      if (agents === undefined) return refuse(noLegacy(names));
      const agentOf = (id: string): Agent => agents.getByName(agentName(id)) as unknown as SessionAgentApi;
      const deps = { env, census, agentOf, onError };
      const asked = body.value;
      if (asked.dryRun) return answered(await moveSessions(kind, asked, { ...deps, begins: async () => {} }));
      return change(env, caller, asked, async (operator, named) => {
        const by = { ...named, ...(asked.why !== undefined && { why: asked.why }) };
        const begins = (sessions: number): Promise<void> =>
          operator.audit({ action: `${kind}_begins`, detail: beginsDetail(asked, sessions), ...by });
        const moved = await moveSessions(kind, asked, { ...deps, begins });
        if (!moved.ok) return moved;
        // The sessions have moved, and the log knows since they began to: the caller is told how it went in any case.
        await trying(operator.audit({ action: kind, detail: moveDetail(asked, moved.value), ...by }));
        return answered(moved);
      });
    };
  }

  async function retireCheck({ env, ctx }: Asked<Env>): Promise<Result<Response>> {
    if (env.LEGACY_AGENT === undefined) return refuse(noLegacy(names));
    const retire = retireReport({
      paths: options.paths,
      names,
      stages: await readStages(stages(env), ctx),
      brake: await trying(operatorOf(env)?.brake()),
      census: await censusOf(env),
      now: now(),
      quietMs: idleMs(env),
      keepsSessions: env.KEEP_SESSIONS === 'on',
    });
    return given(answer(retire));
  }

  /** Who signed in is who did it. What they call themselves is a note beside it, which the admin token needs: many hold it. */
  async function change(
    env: AdminEnv,
    caller: Caller,
    { who: said, mayBeNameless = false }: { readonly who?: string | undefined; readonly mayBeNameless?: boolean },
    work: (operator: OperatorApi, by: By) => Promise<Result<Response>>,
  ): Promise<Result<Response>> {
    const operator = operatorOf(env);
    if (operator === undefined) return refuse(noOperator(names));
    if (caller.who === undefined && said === undefined && !mayBeNameless) return refuse(WHO_IS_MISSING);
    const note = said === undefined || said === caller.who ? {} : { said };
    return work(operator, { who: caller.who ?? TOKEN_HOLDER, ...note });
  }

  /** What cannot be read is told as missing, so that one broken part does not hide the others. */
  async function trying<T>(reading: Promise<T> | undefined): Promise<T | undefined> {
    try {
      return await reading;
    } catch (cause) {
      onError(cause);
      return undefined;
    }
  }
}

const answered = (result: Result<object>): Result<Response> => (result.ok ? given(answer(result.value)) : result);
