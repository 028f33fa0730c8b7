/** A route's flag and what a change makes of it: cohorts first, then the percentage, then the default. Pure. */
import { cohortOf, cohortText, conditionsOf, type Cohort } from './cohort.ts';
import { refused } from './stop.ts';

export interface Rule {
  readonly conditions: readonly unknown[];
  readonly serve_variation: string;
  readonly rollout?: { readonly percentage: number; readonly attribute?: string };
}

export interface Flag {
  readonly key: string;
  readonly enabled: boolean;
  readonly default_variation: string;
  readonly variations: Readonly<Record<string, unknown>>;
  /** In the order of evaluation; the first that matches decides. */
  readonly rules: readonly Rule[];
}

/** What is written, all at once. */
export interface FlagState {
  readonly default_variation: string;
  readonly rules: readonly Rule[];
}

export interface Ramp {
  readonly stage: string;
  readonly percent: number;
  readonly by: string;
}

/** The context attribute that clients are shared out by. */
export const BUCKET_KEY = 'targetingKey';

/**
 * A request that cannot be told apart has no key, and a percentage without a key is a new draw each time. A condition on
 * an attribute that is absent is false, so such a request gets the default.
 */
const hasKey = (by: string) => ({ attribute: by, operator: 'not_equals', value: '' });

export function rampOf({ rules }: FlagState): Ramp | undefined {
  const rule = rules.find(isRamp);
  if (rule?.rollout === undefined) return undefined;
  const { percentage, attribute = BUCKET_KEY } = rule.rollout;
  return { stage: rule.serve_variation, percent: percentage, by: attribute };
}

function isRamp({ conditions, rollout }: Rule): boolean {
  if (rollout === undefined || conditions.length > 1) return false;
  const [condition] = conditions as readonly (
    | { readonly operator?: string; readonly attribute?: string }
    | undefined
  )[];
  return (
    condition === undefined ||
    (condition.operator === 'not_equals' && condition.attribute === (rollout.attribute ?? BUCKET_KEY))
  );
}

export interface CohortRule {
  readonly cohort: Cohort;
  readonly stage: string;
  /** 100 where the rule has no percentage. */
  readonly percent: number;
}

export const cohortsOf = ({ rules }: FlagState): readonly CohortRule[] =>
  rules.flatMap(({ conditions, serve_variation, rollout }) => {
    const cohort = cohortOf(conditions);
    return cohort === undefined ? [] : [{ cohort, stage: serve_variation, percent: rollout?.percentage ?? 100 }];
  });

/** Rules that somebody made in another way. They are kept where they are. */
export const foreignRules = ({ rules }: FlagState): readonly Rule[] =>
  rules.filter((rule) => !isRamp(rule) && cohortOf(rule.conditions) === undefined);

/** Everybody is given the stage, but for the cohorts that have one of their own. */
export const setStage = ({ rules }: FlagState, stage: string): FlagState => ({
  default_variation: stage,
  rules: rules.filter((rule) => !isRamp(rule)),
});

export function ramp(flag: FlagState, { stage, percent, by }: Ramp): FlagState {
  const under = rampOf(flag);
  if (under !== undefined && under.stage !== stage && under.percent > 0) {
    throw refused(
      `A ramp to ${under.stage} is under way, at ${under.percent} %`,
      `Finish it with set ${under.stage}, or undo it with ramp ${under.stage} 0, and then begin the next.`,
    );
  }
  if (under !== undefined && under.by !== by && under.percent > 0) {
    throw refused(
      `The ramp shares clients out by ${under.by}, not by ${by}`,
      `Another key would move clients back. Go on with --by ${under.by}.`,
    );
  }
  if (flag.default_variation === stage && percent > 0) {
    throw refused(
      `Everybody is at stage ${stage} already`,
      'Name the stage that comes next; the command "status" shows where each route stands.',
    );
  }
  const others = flag.rules.filter((one) => !isRamp(one));
  // A rule for nobody would be one more thing to look at, and to clear away.
  if (percent === 0) return { ...flag, rules: others };
  const rule: Rule = {
    conditions: [hasKey(by)],
    serve_variation: stage,
    rollout: { percentage: percent, attribute: by },
  };
  return { ...flag, rules: [...others, rule] };
}

/** Gives a cohort a stage of its own; `percent` of it, where that is given. */
export function setCohort(
  flag: FlagState,
  cohort: Cohort,
  stage: string,
  part?: { readonly percent: number; readonly by: string },
): FlagState {
  const conditions = conditionsOf(cohort);
  const rule: Rule = {
    conditions,
    serve_variation: stage,
    ...(part !== undefined && { rollout: { percentage: part.percent, attribute: part.by } }),
  };
  const others = flag.rules.filter((one) => !isSame(one, cohort));
  if (part?.percent === 0) {
    const own = flag.rules.find((one) => isSame(one, cohort));
    if (own === undefined || own.serve_variation === stage) return { ...flag, rules: others };
    throw refused(
      `${cohortText(cohort)} has the stage ${own.serve_variation}, not ${stage}`,
      'Take its rule away with unset.',
    );
  }
  // The more is said about a cohort, the earlier its rule comes, or it would never be reached.
  const before = others.findIndex(
    (one) => isRamp(one) || (cohortOf(one.conditions) !== undefined && one.conditions.length < conditions.length),
  );
  const at = before === -1 ? others.length : before;
  return { ...flag, rules: [...others.slice(0, at), rule, ...others.slice(at)] };
}

export function unsetCohort(flag: FlagState, cohort: Cohort): FlagState {
  const rules = flag.rules.filter((one) => !isSame(one, cohort));
  if (rules.length < flag.rules.length) return { ...flag, rules };
  const known = cohortsOf(flag).map((one) => cohortText(one.cohort));
  throw refused(
    `The flag has no rule for ${cohortText(cohort)}`,
    known.length === 0 ? 'It has no rule for any cohort.' : `It has one for each of: ${known.join('; ')}.`,
  );
}

function isSame({ conditions }: Rule, cohort: Cohort): boolean {
  const other = cohortOf(conditions);
  return other !== undefined && cohortText(other) === cohortText(cohort);
}

export const percentOf = (flag: FlagState, cohort: Cohort | undefined): number | undefined =>
  cohort === undefined
    ? rampOf(flag)?.percent
    : cohortsOf(flag).find((one) => cohortText(one.cohort) === cohortText(cohort))?.percent;

/** In words, for people. */
export function stateText(flag: FlagState): string {
  const ramp = rampOf(flag);
  const foreign = foreignRules(flag).length;
  return [
    flag.default_variation,
    ...(ramp === undefined ? [] : [`${ramp.percent} % of new sessions ${ramp.stage}`]),
    ...cohortsOf(flag).map(cohortRuleText),
    ...(foreign === 0 ? [] : [`${foreign} other ${foreign === 1 ? 'rule' : 'rules'}`]),
  ].join('; ');
}

export const cohortRuleText = ({ cohort, stage, percent }: CohortRule): string =>
  `${cohortText(cohort)} → ${stage}${percent < 100 ? ` (${percent} %)` : ''}`;
