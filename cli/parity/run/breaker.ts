/**
 * Stops asking where asking has no use: a tool that does not answer is not asked three hundred times, and a server that
 * is gone is not asked at all. Keeps every cause with the target's name, once. Pure.
 */
import type { Answer } from '../targets/connect.ts';
import type { FaultReason } from '../targets/wire.ts';
import type { HarnessError } from './report.ts';

/** Faults in a row of one tool after which it is left alone. */
const TOOL_FAULTS = 2;
/** Faults in a row of any tools after which the server counts as gone. */
const TARGET_FAULTS = 12;
/** Failed connections in a row after which it does. */
const LOST_CONNECTIONS = 3;
const LOST: ReadonlySet<FaultReason> = new Set(['died', 'unreachable', 'refused_sign_in']);

export class Breaker {
  readonly #inGroup = new Map<string, number>();
  readonly #inTarget = new Map<string, number>();
  readonly #lost = new Map<string, number>();
  readonly #gone = new Map<string, string>();
  readonly #errors = new Map<string, { -readonly [Key in keyof HarnessError]: HarnessError[Key] }>();

  /** @param forGood The wire itself has ended, as a process does. */
  saw(target: string, where: string, { saw, fault }: Answer, forGood: boolean): void {
    const key = keyOf(target, where);
    if (fault === undefined || saw.kind !== 'harness_error') {
      this.#inGroup.delete(key);
      this.#inTarget.delete(target);
      this.#lost.delete(target);
      return;
    }
    this.note({ target, where, reason: fault, cause: saw.cause });
    const count = (map: Map<string, number>, at: string): number => {
      const next = (map.get(at) ?? 0) + 1;
      map.set(at, next);
      return next;
    };
    count(this.#inGroup, key);
    const all = count(this.#inTarget, target);
    const lost = LOST.has(fault) ? count(this.#lost, target) : 0;
    if (all >= TARGET_FAULTS || lost >= LOST_CONNECTIONS || (forGood && lost > 0)) this.#gone.set(target, saw.cause);
  }

  note(error: Omit<HarnessError, 'count'>): void {
    const key = `${keyOf(error.target, error.where)}\n${error.reason}`;
    const known = this.#errors.get(key);
    if (known === undefined) this.#errors.set(key, { ...error, count: 1 });
    else known.count += 1;
  }

  /** Why a target is not asked this; undefined when it is. */
  closed(target: string, where: string): string | undefined {
    const gone = this.#gone.get(target);
    if (gone !== undefined) return `not asked, for the server is gone: ${gone}`;
    const key = keyOf(target, where);
    return (this.#inGroup.get(key) ?? 0) >= TOOL_FAULTS ? 'not asked again, for it failed before' : undefined;
  }

  gone(target: string): string | undefined {
    return this.#gone.get(target);
  }

  errors(): readonly HarnessError[] {
    return [...this.#errors.values()];
  }
}

const keyOf = (target: string, where: string): string => `${target}\n${where}`;
