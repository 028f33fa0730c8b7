/** The census of a class of one's own, whose sessions end by themselves only if that is switched on. */
import { CensusObject as BaseCensusObject } from '../cutover/census/census-object.ts';

/** Where nothing ends a session, one that is not used for so long is forgotten, until its next call. */
const KEPT_MS = 90 * 24 * 60 * 60 * 1000;

/**
 * The Durable Object that counts which clients call what. Export it from the Worker, bound as `CENSUS_OBJECT`.
 *
 * @example
 * ```ts
 * export { CensusObject } from 'hybrid-mcp/agent';
 * ```
 */
export class CensusObject extends BaseCensusObject {
  protected override get sessionIdleMs(): number {
    const { SESSION_IDLE_MS: value } = this.env as { readonly SESSION_IDLE_MS?: string | number };
    return value === undefined || value === '' ? KEPT_MS : super.sessionIdleMs;
  }
}
