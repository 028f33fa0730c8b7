/**
 * The order of the runbook's steps and how long each is stayed at. A step back is never held up. What holds a step forward
 * can be overridden with a reason; a stage that ends open sessions has to be told twice. Pure.
 */
import { STEPS, type RouteKey } from '../../src/cutover/stage.ts';
import type { Status } from './answers.ts';
import { recordOf } from './claim.ts';
import { rampOf, type Flag, type FlagState } from './flag.ts';

const DAY_MS = 86_400_000;
/** So long the runbook stays at a step before the next one. */
const STAY_MS = { ramp: DAY_MS, everybody: 7 * DAY_MS, sseGone: 7 * DAY_MS } as const;
/** Where a ramp begins, at most. */
const FIRST_PERCENT = 25;

/** Stages that take something from open sessions: they are about a whole route, and no client can be left out of them. */
export const isEnd = (stage: string): boolean => stage === 'gone' || stage === 'off';

export interface Step {
  readonly route: RouteKey;
  readonly before: Flag;
  readonly after: FlagState;
  /** Undefined if the Worker was not asked. */
  readonly status: Status | undefined;
  readonly now: number;
}

/** What speaks against a step now; nothing against a step back, or one for a cohort alone. */
export function stepProblems(step: Step): readonly string[] {
  const { route, before, after } = step;
  const steps: readonly string[] = STEPS[route];
  const forward = steps.indexOf(after.default_variation) > steps.indexOf(before.default_variation);
  // What was switched off or drained, and is not any more, was before that where it goes now.
  const wasForward = before.default_variation === 'off' || before.default_variation === 'drain';
  if (forward && !wasForward) return setProblems(step);
  return forward || before.default_variation !== after.default_variation ? [] : rampProblems(step);
}

function setProblems(step: Step): readonly string[] {
  const { route, before, after } = step;
  const to = after.default_variation;
  if (to === 'shadow' || to === 'legacy' || to === 'drain') return [];
  if (route === 'sse') {
    const legacy = stageIn(step.status, 'legacy');
    return legacy === 'stateless' || legacy === 'gone'
      ? []
      : [
          `/legacy/mcp comes first: it is at ${legacy ?? 'a stage that is not known'}, and its clients may fall back to SSE`,
        ];
  }
  if (to !== 'gone') {
    const ramp = rampOf(before);
    return ramp?.stage === to && ramp.percent > 0
      ? stayed(step, STAY_MS.ramp, `the ramp is at ${ramp.percent} %`)
      : [`a ramp to ${to} comes first: a share of new sessions, for a day at each percentage`];
  }
  const sse = stageIn(step.status, 'sse');
  return [
    ...(before.default_variation === 'stateless'
      ? stayed(step, STAY_MS.everybody, 'everybody is at stateless')
      : [`stateless comes first: the route is at ${before.default_variation}`]),
    ...(sse === 'gone'
      ? stayedAs({ ...step, route: 'sse' }, 'gone', undefined, STAY_MS.sseGone, '/legacy/sse is gone')
      : ['/legacy/sse goes first: clients that find /legacy/mcp gone fall back to it without a word']),
  ];
}

function rampProblems(step: Step): readonly string[] {
  const [was, is] = [rampOf(step.before), rampOf(step.after)];
  if (is === undefined || is.percent <= (was?.percent ?? 0) || is.stage === 'shadow') return [];
  if (was === undefined || was.percent === 0) {
    return is.percent > FIRST_PERCENT ? [`a ramp begins with ${FIRST_PERCENT} % or less`] : [];
  }
  return stayed(step, STAY_MS.ramp, `the ramp is at ${was.percent} %`);
}

const stayed = (step: Step, stayMs: number, what: string): readonly string[] =>
  stayedAs(step, step.before.default_variation, rampOf(step.before), stayMs, what);

/** The Worker knows since when a flag stands as it does, if it was brought there by these commands. */
function stayedAs(
  { route, status, now }: Pick<Step, 'route' | 'status' | 'now'>,
  stage: string,
  ramp: { readonly stage: string; readonly percent: number } | undefined,
  stayMs: number,
  what: string,
): readonly string[] {
  const stay = `stay for ${spanText(stayMs)}`;
  const position = status === undefined ? undefined : recordOf(status, route)?.position;
  const isKnown =
    position?.stage === stage && position.ramp?.stage === ramp?.stage && position.ramp?.percent === ramp?.percent;
  if (position === undefined || !isKnown) return [`${what}, and since when is not known: ${stay}`];
  const forMs = now - position.since;
  return forMs >= stayMs ? [] : [`${what} for ${spanText(forMs)} only: ${stay}`];
}

const stageIn = (status: Status | undefined, route: RouteKey): string | undefined =>
  status?.routes.find((one) => one.route === route)?.stage;

/** What a stage would take from sessions that are open; undefined if it takes nothing. */
export function openProblem({ route, before, after, status }: Step): string | undefined {
  if (!isEnd(after.default_variation)) return undefined;
  if (before.default_variation === after.default_variation) return undefined;
  const totals = status?.totals;
  if (totals === null || totals === undefined) return 'how many sessions are open is not known';
  const { legacy, sse, drained, compat } = totals.openSessions;
  const open = { legacy: legacy + totals.untrackedSessions, sse, mcp: compat }[route];
  if (open === 0) return undefined;
  const also = route === 'legacy' && drained > 0 ? `, and ${drained} that were drained` : '';
  return `${open} ${open === 1 ? 'session is' : 'sessions are'} open${also}`;
}

function spanText(ms: number): string {
  const [days, hours] = [Math.floor(ms / DAY_MS), Math.floor(ms / 3_600_000)];
  if (days > 0) return days === 1 ? 'a day' : `${days} days`;
  return hours > 0 ? `${hours} hours` : `${Math.max(Math.floor(ms / 60_000), 0)} minutes`;
}
