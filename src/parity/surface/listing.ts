/** What a server advertises, as data, and the words in which two such surfaces are compared. Pure. */
import { isPlainObject, type Json, type JsonObject } from '../../shared/json.ts';

export interface Surface {
  readonly instructions: string | undefined;
  readonly capabilities: JsonObject;
  readonly serverInfo: JsonObject;
  readonly tools: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
  readonly resources: readonly JsonObject[];
  readonly resourceTemplates: readonly JsonObject[];
}

/**
 * breaking: a client that worked may stop working. non-breaking: it works on, but the model reads something else.
 * informational: people may see it, models and clients do not act on it.
 */
export const CHANGE_CLASSES = ['breaking', 'non-breaking', 'informational'] as const;
export type ChangeClass = (typeof CHANGE_CLASSES)[number];

export interface Change {
  readonly class: ChangeClass;
  /** Keys joined by dots, from the listed definition. */
  readonly path: string;
  readonly control: Json | undefined;
  readonly candidate: Json | undefined;
  readonly why: string;
}

export interface SurfaceFinding extends Change {
  /** For example `tool search`, `prompt summarize`, `server`. */
  readonly where: string;
}

export const objectIn = (value: unknown): JsonObject => (isPlainObject(value) ? (value as JsonObject) : {});

/** A name or URI as it is listed; what is no text has no name. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export const same = (left: unknown, right: unknown): boolean => canonical(left) === canonical(right);

/** JSON with sorted keys, so that the order of keys is no difference. */
export function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_key, each: unknown) =>
      isPlainObject(each)
        ? Object.fromEntries(Object.entries(each).toSorted(([left], [right]) => (left < right ? -1 : 1)))
        : each,
    ) ?? 'undefined'
  );
}
