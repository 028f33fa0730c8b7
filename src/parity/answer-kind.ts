/** What kind of answer a server gave, since only a result shows what a tool does. Pure. */
import { isPlainObject, type JsonObject } from '../shared/json.ts';
import type { Observation } from './observe.ts';

/**
 * `result`: the tool did its work. `error`: it ran and failed. `refusal`: the server did not take the arguments.
 * `unfinished`: a question to the user or a task, which is no result yet.
 */
export const ANSWER_KINDS = ['result', 'error', 'refusal', 'unfinished'] as const;
export type AnswerKind = (typeof ANSWER_KINDS)[number];
export type AnswerCounts = Readonly<Record<AnswerKind, number>>;

export const NO_ANSWERS: AnswerCounts = { result: 0, error: 0, refusal: 0, unfinished: 0 };

/** Undefined where there is no answer. */
export function answerKind(saw: Observation): AnswerKind | undefined {
  if (saw.kind === 'harness_error') return undefined;
  if (refusalIn(saw) !== undefined) return 'refusal';
  if (saw.kind === 'error' || saw.result['isError'] === true) return 'error';
  return isUnfinished(saw.result) ? 'unfinished' : 'result';
}

export const isUnfinished = (result: JsonObject): boolean =>
  'task' in result || result['resultType'] === 'input_required';

/** How servers word that the arguments are wrong; nothing else of an error tells it from a refusal of the tool's own. */
const REFUSAL = /invalid (?:arguments|params|input)|validation error/i;

/** What the server says where it refuses the arguments. */
export function refusalIn(saw: Observation): string | undefined {
  if (saw.kind === 'error') {
    const { code, message } = saw.error;
    return code === -32602 ? (typeof message === 'string' ? message : '') : undefined;
  }
  if (saw.kind !== 'result' || saw.result['isError'] !== true || !Array.isArray(saw.result['content']))
    return undefined;
  const [first] = saw.result['content'] as readonly unknown[];
  const text = isPlainObject(first) ? first['text'] : undefined;
  return typeof text === 'string' && REFUSAL.test(text) ? text : undefined;
}
