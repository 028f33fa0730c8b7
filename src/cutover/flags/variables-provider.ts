/**
 * The flag source of a deployment without a flag service: the Worker's variables. An OpenFeature provider like any
 * other. For each route there is a stage, and optionally a next stage with a percentage and a list of client names.
 * Changing one is a deployment of variables, and takes effect as fast as that.
 */
import {
  ErrorCode,
  StandardResolutionReasons,
  type EvaluationContext,
  type Provider,
  type ResolutionDetails,
} from '@openfeature/server-sdk';
import { inRollout } from '../bucket.ts';
import { isStageOf, ROUTE_KEYS, ROUTE_SETTINGS, STAGES, type RouteKey, type RouteSettings } from '../stage.ts';

/** `LEGACY_ROUTE_STAGE`, `…_NEXT`, `…_PERCENT`, `…_CLIENTS`, and the same for the other routes. */
export type StageVars = Readonly<Record<string, unknown>>;

export class VariablesProvider implements Provider {
  readonly metadata = { name: 'variables' } as const;
  readonly runsOn = 'server';
  readonly #vars: StageVars;
  readonly #settings: RouteSettings;

  constructor(vars: StageVars, settings: RouteSettings = ROUTE_SETTINGS) {
    this.#vars = vars;
    this.#settings = settings;
  }

  resolveStringEvaluation(
    flagKey: string,
    _default: string,
    context: EvaluationContext,
  ): Promise<ResolutionDetails<string>> {
    const route = ROUTE_KEYS.find((key) => this.#settings.flagKeys[key] === flagKey);
    if (route === undefined)
      return Promise.resolve(failure(ErrorCode.FLAG_NOT_FOUND, `There is no flag "${flagKey}".`));
    return Promise.resolve(this.#resolve(route, context));
  }

  resolveBooleanEvaluation(flagKey: string, value: boolean): Promise<ResolutionDetails<boolean>> {
    return Promise.resolve({ ...mismatch(flagKey), value });
  }

  resolveNumberEvaluation(flagKey: string, value: number): Promise<ResolutionDetails<number>> {
    return Promise.resolve({ ...mismatch(flagKey), value });
  }

  resolveObjectEvaluation<T>(flagKey: string, value: T): Promise<ResolutionDetails<T>> {
    return Promise.resolve({ ...mismatch(flagKey), value });
  }

  #resolve(route: RouteKey, context: EvaluationContext): ResolutionDetails<string> {
    const text = textsOf(this.#vars, this.#settings.variablePrefix[route]);
    const [problem] = problemsOf(route, text, this.#settings.variablePrefix[route]);
    if (problem !== undefined) return failure(ErrorCode.PARSE_ERROR, problem);
    const stage = text('STAGE') || this.#settings.usual[route];
    const next = text('NEXT');
    if (next === '') return { value: stage, reason: StandardResolutionReasons.STATIC };

    const clients = text('CLIENTS')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '');
    const { clientName, targetingKey } = context;
    if (typeof clientName === 'string' && clients.includes(clientName)) {
      return { value: next, reason: StandardResolutionReasons.TARGETING_MATCH };
    }
    const percent = Number(text('PERCENT'));
    if (percent === 100) return { value: next, reason: StandardResolutionReasons.STATIC };
    // Nobody in particular asks, or nobody is drawn: that is how the route stands.
    if (targetingKey === undefined || percent === 0) return { value: stage, reason: StandardResolutionReasons.STATIC };
    const chosen = inRollout(targetingKey, this.#settings.flagKeys[route], percent);
    return { value: chosen ? next : stage, reason: StandardResolutionReasons.SPLIT };
  }
}

/** What cannot be read of the variables, each with what it may be. */
export const stageVarProblems = (vars: StageVars, { variablePrefix }: RouteSettings): readonly string[] =>
  ROUTE_KEYS.flatMap((route) => problemsOf(route, textsOf(vars, variablePrefix[route]), variablePrefix[route]));

type Texts = (suffix: 'STAGE' | 'NEXT' | 'PERCENT' | 'CLIENTS') => string;

const textsOf =
  (vars: StageVars, prefix: string): Texts =>
  (suffix) => {
    const value = vars[`${prefix}_${suffix}`];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };

function problemsOf(route: RouteKey, text: Texts, prefix: string): readonly string[] {
  const stages = STAGES[route].join(', ');
  const isBad = (value: string): boolean => value !== '' && !isStageOf(route, value);
  const percent = Number(text('PERCENT'));
  return [
    ...(isBad(text('STAGE')) ? [`${prefix}_STAGE must be one of ${stages}.`] : []),
    ...(isBad(text('NEXT')) ? [`${prefix}_NEXT must be one of ${stages}.`] : []),
    ...(percent >= 0 && percent <= 100 ? [] : [`${prefix}_PERCENT must be a number from 0 to 100.`]),
  ];
}

const failure = (errorCode: ErrorCode, errorMessage: string): ResolutionDetails<string> => ({
  value: '',
  reason: StandardResolutionReasons.ERROR,
  errorCode,
  errorMessage,
});

const mismatch = (flagKey: string) => ({
  reason: StandardResolutionReasons.ERROR,
  errorCode: ErrorCode.TYPE_MISMATCH,
  errorMessage: `The flag "${flagKey}" is a string.`,
});
