/**
 * Takes out of an answer what is meant to differ between two calls: by name of a form (a timestamp, a UUID) or by path.
 * Forms that name something keep their identity inside one answer, `<uuid 1>` and `<uuid 2>`, so two sides that use
 * names in the same way are equal and two that do not are not. Pure.
 */
import { isPlainObject, type Json, type JsonObject } from '../shared/json.ts';
import type { Observation } from './observe.ts';
import { nameMatches, pathMatches } from './path.ts';

export const SANITIZERS = ['timestamp', 'epoch-ms', 'duration', 'uuid', 'ulid', 'hex-id', 'handle', 'port'] as const;
/** A form of text that is meant to differ between two calls. */
export type SanitizerName = (typeof SANITIZERS)[number];

export interface PathRule {
  /** A tool's name or a pattern of it; without it every tool. */
  readonly tool?: string;
  readonly path: string;
  /** `any` keeps only the type of what is there. */
  readonly as: SanitizerName | 'any';
}

export interface SanitizeRules {
  readonly names: readonly SanitizerName[];
  readonly paths: readonly PathRule[];
}

const FORM: Readonly<Record<SanitizerName, { readonly pattern: RegExp; readonly identity: boolean }>> = {
  timestamp: { pattern: /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?/g, identity: false },
  'epoch-ms': { pattern: /\b1[4-9]\d{11}\b/g, identity: false },
  duration: { pattern: /\b\d+(?:\.\d+)? ?(?:ms|milliseconds|s|seconds)\b/g, identity: false },
  uuid: { pattern: /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, identity: true },
  ulid: { pattern: /\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g, identity: true },
  'hex-id': { pattern: /\b(?=[0-9a-f]*[a-f])[0-9a-f]{16,64}\b/g, identity: true },
  handle: { pattern: /\bh_[A-Za-z0-9_-]{27}/g, identity: true },
  port: { pattern: /(?<=\/\/[^/\s:]{1,200}:)\d{1,5}\b/g, identity: false },
};

/** What stays of a number is a text, for a number could not say that it was replaced. */
export function sanitize(saw: Observation, tool: string, { names, paths }: SanitizeRules): Observation {
  if (saw.kind === 'harness_error' || (names.length === 0 && paths.length === 0)) return saw;
  const seen = new Map<string, string>();
  const rules = paths.filter((rule) => rule.tool === undefined || nameMatches(rule.tool, tool));
  const walk = (value: Json, path: string): Json => {
    const rule = rules.find((each) => pathMatches(each.path, path));
    if (rule?.as === 'any') return `<any ${typeOf(value)}>`;
    const forms = rule === undefined ? names : [...names, rule.as];
    if (typeof value === 'string') return forms.reduce((text, name) => replaced(text, name, seen), value);
    if (typeof value === 'number') {
      const text = forms.reduce((each, name) => replaced(each, name, seen), String(value));
      return text === String(value) ? value : text;
    }
    if (Array.isArray(value)) return value.map((each: Json, at) => walk(each, `${path}.${at}`));
    if (!isPlainObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, walk(each, `${path}.${key}`)]));
  };
  return saw.kind === 'result'
    ? { kind: 'result', result: walk(saw.result, 'result') as JsonObject }
    : { kind: 'error', error: walk(saw.error, 'error') as JsonObject };
}

function replaced(text: string, name: SanitizerName, seen: Map<string, string>): string {
  const { pattern, identity } = FORM[name];
  return text.replace(pattern, (found) => {
    if (!identity) return `<${name}>`;
    const known = seen.get(found);
    if (known !== undefined) return known;
    const alias = `<${name} ${seen.size + 1}>`;
    seen.set(found, alias);
    return alias;
  });
}

const typeOf = (value: Json): string => (value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value);
