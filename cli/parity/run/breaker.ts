/**
 * Stops asking where asking has no use: a tool that does not answer is not asked three hundred times, and a server that
 * is gone is not asked at all. Keeps every cause with the target's name, once. Pure.
 */
import type { Answer } from '../targets/connect.ts';
import type { FaultReason } from '../targets/wire.ts';
import type { HarnessError } from './report.ts';

/** Calls of one tool that a target left without an answer when they were asked alone, after which the tool is left alone. */
const SILENT_CALLS = 3;
/** The same for what is refused or unreadable, which costs no time: in a row, for some inputs alone may be refused. */
const REFUSED_CALLS = 8;
/** Tools in a row that had to be left alone, with no answer of any tool between, after which the server counts as gone. */
const TOOLS_LEFT = 3;
/** Failed connections in a row after which it does. */
const LOST_CONNECTIONS = 3;

/** What the server said nothing to. Side by side it says nothing of the call: another one may have ended the server. */
const SILENT: ReadonlySet<FaultReason> = new Set(['died', 'no_answer', 'unreachable', 'flood']);
const LOST: ReadonlySet<FaultReason> = new Set(['died', 'unreachable']);

export const isSilent = ({ fault }: Answer): boolean => fault !== undefined && SILENT.has(fault);

export class Breaker {
  readonly #silent = new Map<string, number>();
  readonly #refused = new Map<string, number>();
  readonly #left = new Map<string, Set<string>>();
  readonly #lost = new Map<string, number>();
  readonly #gone = new Map<string, string>();
  readonly #errors = new Map<string, { -readonly [Key in keyof HarnessError]: HarnessError[Key] }>();

  /** @param alone Nothing else was asked of the target meanwhile, so that silence is this call's. */
  saw(target: string, where: string, answer: Answer, alone: boolean): void {
    const { saw, fault } = answer;
    const key = keyOf(target, where);
    if (fault === undefined || saw.kind !== 'harness_error') {
      this.#refused.delete(key);
      this.#left.delete(target);
      this.#lost.delete(target);
      return;
    }
    if (isSilent(answer) && !alone) return;
    if (LOST.has(fault)) {
      const lost = count(this.#lost, target);
      if (lost >= LOST_CONNECTIONS && fault === 'unreachable') this.#gone.set(target, saw.cause);
    }
    const [counts, most] = isSilent(answer) ? [this.#silent, SILENT_CALLS] : [this.#refused, REFUSED_CALLS];
    if (count(counts, key) < most) return;
    const left = this.#left.get(target) ?? new Set();
    this.#left.set(target, left.add(where));
    if (left.size >= TOOLS_LEFT) this.#gone.set(target, saw.cause);
  }

  note(error: Omit<HarnessError, 'count'>): void {
    const key = `${keyOf(error.target, error.where)}\n${error.reason}`;
    const known = this.#errors.get(key);
    if (known === undefined) this.#errors.set(key, { ...error, count: 1 });
    else known.count += 1;
  }

  /** It cannot be asked any more, whatever is asked. */
  lost(target: string, cause: string): void {
    if (!this.#gone.has(target)) this.#gone.set(target, cause);
  }

  /** Why a target is not asked this; undefined when it is. */
  closed(target: string, where: string): string | undefined {
    const gone = this.#gone.get(target);
    if (gone !== undefined) return `${target} is gone: ${gone}`;
    const key = keyOf(target, where);
    const silent = (this.#silent.get(key) ?? 0) >= SILENT_CALLS;
    if (silent) return `${target} left ${SILENT_CALLS} calls of it without an answer`;
    return (this.#refused.get(key) ?? 0) >= REFUSED_CALLS
      ? `${target} refused ${REFUSED_CALLS} calls of it in a row`
      : undefined;
  }

  gone(target: string): string | undefined {
    return this.#gone.get(target);
  }

  errors(): readonly HarnessError[] {
    return [...this.#errors.values()];
  }
}

function count(map: Map<string, number>, at: string): number {
  const next = (map.get(at) ?? 0) + 1;
  map.set(at, next);
  return next;
}

const keyOf = (target: string, where: string): string => `${target}\n${where}`;
