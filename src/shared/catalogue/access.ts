/** Reads who may see a definition and who may use it, and refuses what cannot be read. Pure. */
import type { Caller } from '../caller.ts';
import type { Access, ScopesMissing } from '../define/access.ts';
import { CatalogueError, type DefinitionKind } from './error.ts';

/** A definition that is not there for everybody. */
export interface Conditional {
  readonly kind: Exclude<DefinitionKind, 'state' | 'question' | 'catalogue'>;
  /** A name, a URI or a URI template. */
  readonly key: string;
  readonly isFor: (caller: Caller) => boolean;
}

/** Undefined for a definition that everybody sees. */
export function conditionalOf(
  { kind, key }: Pick<Conditional, 'kind' | 'key'>,
  { visible, scopes }: Access,
  missing: ScopesMissing,
): Conditional | undefined {
  const hides = scopes !== undefined && missing === 'hide';
  if (visible === undefined && !hides) return undefined;
  const isFor = (caller: Caller): boolean => {
    if (hides && lackedBy(caller, { scopes }) !== undefined) return false;
    const answer: unknown = visible === undefined || visible(caller);
    if (typeof answer === 'boolean') return answer;
    throw new TypeError('it answered neither true nor false');
  };
  return { kind, key, isFor };
}

/** All scopes that the definition needs, if the caller lacks one of them (RFC 6750, section 3.1). */
export function lackedBy(caller: Caller, { scopes }: Access): readonly string[] | undefined {
  return scopes === undefined || scopes.every((scope) => caller.scopes.includes(scope)) ? undefined : scopes;
}

/** True where an argument or a variable has a completer. */
export const completesIn = (definitions: readonly { readonly complete?: object }[]): boolean =>
  definitions.some(({ complete }) => Object.keys(complete ?? {}).length > 0);

/** A scope-token (RFC 6749, section 3.3). It is written into a header. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** @throws CatalogueError for what could not be held against a caller. */
export function checkAccess(kind: Conditional['kind'], name: string, { visible, scopes }: Access<never>): void {
  if (visible !== undefined && typeof visible !== 'function') {
    const remedy = 'Give a function of the caller that answers true or false at once.';
    throw new CatalogueError(kind, name, 'has a "visible" that is no function', remedy);
  }
  if (scopes === undefined) return;
  const given: unknown = scopes;
  const good =
    Array.isArray(given) && given.length > 0 && given.every((one) => typeof one === 'string' && SCOPE.test(one));
  if (!good) {
    const remedy = 'Give a list of one or more, each a text without spaces, quotes and backslashes.';
    throw new CatalogueError(kind, name, 'has "scopes" that no sign-in can give', remedy);
  }
}
