/**
 * Which tools may be called with input that nobody has looked at: those that say that they only read, or that calling
 * twice does no more than calling once. A tool that says nothing counts as writing. Pure.
 */
import { objectIn } from '../../../src/parity/surface/listing.ts';
import type { JsonObject } from '../../../src/shared/json.ts';
import { nameMatches } from '../../../src/parity/path.ts';

export interface Selection {
  readonly only: readonly string[];
  readonly skip: readonly string[];
  readonly allowWrites: boolean;
}

export type Admission =
  /** `fresh`: it may write, so it gets sessions of its own and one call at a time. */
  { readonly call: true; readonly fresh: boolean } | { readonly call: false; readonly why: string };

/** @param tools The tool as each target lists it: one that calls it writing is enough. */
export function admit(name: string, tools: readonly JsonObject[], { only, skip, allowWrites }: Selection): Admission {
  if (!isSelected(name, { only, skip })) return { call: false, why: 'not selected by --only and --skip' };
  if (tools.every(isSafe)) return { call: true, fresh: false };
  if (allowWrites) return { call: true, fresh: true };
  const why = tools.every((tool) => tool['annotations'] === undefined)
    ? 'it has no annotations, so it may write; --allow-writes calls it'
    : 'it does not say that it is read-only or idempotent; --allow-writes calls it';
  return { call: false, why };
}

export const isSelected = (name: string, { only, skip }: Pick<Selection, 'only' | 'skip'>): boolean =>
  (only.length === 0 || only.some((pattern) => nameMatches(pattern, name))) &&
  !skip.some((pattern) => nameMatches(pattern, name));

export function isSafe(tool: JsonObject): boolean {
  const { readOnlyHint, idempotentHint } = objectIn(tool['annotations']);
  return readOnlyHint === true || idempotentHint === true;
}

/** Idempotent tools may still write: what one call leaves behind must not meet another tool's call in the same session. */
export const onlyReads = (tool: JsonObject): boolean => objectIn(tool['annotations'])['readOnlyHint'] === true;
