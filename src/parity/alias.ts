/**
 * Replaces names that are random by design (handles, session ids) by the order in which they first appear, so that
 * two lanes that use them in the same way are equal, and two that do not are not. Pure.
 */
import type { Json } from '../shared/json.ts';

export class Aliases {
  readonly #seen = new Map<string, string>();
  readonly #pattern: RegExp;

  /** @param pattern Global; matches one random name. */
  constructor(pattern: RegExp = /\bh_[A-Za-z0-9_-]{27}/g) {
    this.#pattern = pattern;
  }

  /** The value with every random name replaced. Keep one instance for a whole sequence of calls. */
  apply<T extends Json>(value: T): T {
    return JSON.parse(JSON.stringify(value).replace(this.#pattern, (name) => this.#alias(name))) as T;
  }

  /** The inverse, for a call that passes on a name that an earlier answer gave. Unknown aliases stay as they are. */
  restore<T extends Json>(value: T): T {
    const names = new Map([...this.#seen].map(([name, alias]) => [alias, name]));
    return JSON.parse(JSON.stringify(value).replace(/<name \d+>/g, (alias) => names.get(alias) ?? alias)) as T;
  }

  #alias(name: string): string {
    const known = this.#seen.get(name);
    if (known !== undefined) return known;
    const alias = `<name ${this.#seen.size + 1}>`;
    this.#seen.set(name, alias);
    return alias;
  }
}
