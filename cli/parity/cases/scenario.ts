/**
 * Scenarios: sequences of calls in one session, with values that a step captures and later steps pass on, and with what
 * an answer must hold. Reads the file and says what a step asks; does not ask it. Pure but for the text it is given.
 */
import { parse } from 'yaml';
import { isPlainObject, type Json, type JsonObject } from '../../../src/shared/json.ts';
import type { Observation } from '../../../src/parity/observe.ts';
import type { Call } from '../../../src/parity/run-table.ts';
import { compileSchema } from '../validate.ts';
import scenarioSchema from '../schema/scenario.schema.json' with { type: 'json' };

export interface Step {
  /** Which of several sessions; those of one name are one. */
  readonly session?: string;
  readonly tool?: string;
  readonly prompt?: string;
  readonly resource?: string;
  readonly method?: string;
  readonly arguments?: JsonObject;
  readonly params?: JsonObject;
  /** Name of a value to where it stands in the answer. */
  readonly capture?: Readonly<Record<string, string>>;
  /** Path in the answer to what must stand there. */
  readonly expect?: Readonly<Record<string, Json>>;
}

export interface Scenario {
  readonly name: string;
  readonly steps: readonly Step[];
}

export type ReadScenarios =
  | { readonly ok: true; readonly scenarios: readonly Scenario[] }
  | { readonly ok: false; readonly why: string };

/** @param text YAML: one scenario, a list of them, or several documents' worth as a list. */
export function readScenarios(text: string, file: string): ReadScenarios {
  let read: unknown;
  try {
    read = parse(text);
  } catch (thrown) {
    return { ok: false, why: `${file}: ${thrown instanceof Error ? thrown.message : String(thrown)}` };
  }
  const list = (Array.isArray(read) ? read : [read]) as Json[];
  const compiled = compileSchema(scenarioSchema);
  if (!compiled.ok) return { ok: false, why: compiled.why };
  for (const each of list) {
    const problem = compiled.validate(each);
    if (problem !== undefined) return { ok: false, why: `${file}: ${problem}` };
  }
  return { ok: true, scenarios: list as unknown as readonly Scenario[] };
}

/** The call of a step, with captured values put in; a value that is `${name}` as a whole keeps its type. */
export function callOf(step: Step, captured: ReadonlyMap<string, Json>): Call {
  const filled = (value: JsonObject | undefined): JsonObject => (fill(value ?? {}, captured) ?? {}) as JsonObject;
  if (step.tool !== undefined)
    return { method: 'tools/call', params: { name: step.tool, arguments: filled(step.arguments) } };
  if (step.prompt !== undefined)
    return { method: 'prompts/get', params: { name: step.prompt, arguments: filled(step.arguments) } };
  if (step.resource !== undefined) return { method: 'resources/read', params: { uri: fill(step.resource, captured) } };
  return { method: step.method ?? '', params: filled(step.params) };
}

function fill(value: Json, captured: ReadonlyMap<string, Json>): Json {
  if (typeof value === 'string') {
    const whole = /^\$\{(\w+)\}$/.exec(value)?.[1];
    if (whole !== undefined) return captured.get(whole) ?? value;
    return value.replaceAll(/\$\{(\w+)\}/g, (all, name: string) => {
      const found = captured.get(name);
      return found === undefined ? all : typeof found === 'string' ? found : JSON.stringify(found);
    });
  }
  if (Array.isArray(value)) return value.map((each: Json) => fill(each, captured));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, fill(each, captured)]));
}

/** What stands at a path such as `result.structuredContent.handle`; a text that is JSON is looked into. */
export function valueAt(saw: Observation, path: string): Json | undefined {
  let at: unknown = saw;
  for (const key of path.split('.')) {
    if (typeof at === 'string') {
      try {
        at = JSON.parse(at) as unknown;
      } catch {
        return undefined;
      }
    }
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at as Json | undefined;
}

/** Captured values are each target's own, so in answers they stand by their names. */
export function withNames(saw: Observation, captured: ReadonlyMap<string, Json>): Observation {
  const named = [...captured].filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1].length >= 4,
  );
  if (named.length === 0) return saw;
  let text = JSON.stringify(saw);
  for (const [name, value] of named) text = text.replaceAll(JSON.stringify(value).slice(1, -1), `<${name}>`);
  return JSON.parse(text) as Observation;
}
