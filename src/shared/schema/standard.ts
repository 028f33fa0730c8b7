/**
 * What a tool may use as a schema: any Standard Schema that can also say its JSON Schema
 * (https://standardschema.dev). Zod 4.2 or later does; Valibot does through `toStandardJsonSchema`.
 */
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';

/** A schema that validates, and that lists itself as JSON Schema. */
export interface Schema<Input = unknown, Output = Input> {
  readonly '~standard': StandardSchemaV1.Props<Input, Output> & StandardJSONSchemaV1.Props<Input, Output>;
}

/** What a schema gives for what it accepts. */
export type InferOutput<S extends Schema> = NonNullable<S['~standard']['types']>['output'];

/** One thing wrong with a value: where (keys from the root, joined by dots; empty for the root) and what. */
export interface SchemaIssue {
  readonly path: string;
  readonly message: string;
}

export type Parsed<T> =
  | { ok: true; value: T }
  /** `cause` is what the schema's own code threw. For the operator: it may quote the value. */
  | { ok: false; issues: readonly SchemaIssue[]; cause?: unknown };

/** Parses `value`. Never throws: a validator that throws counts as one issue at the root. */
export async function parse<S extends Schema>(schema: S, value: unknown): Promise<Parsed<InferOutput<S>>> {
  try {
    let result = schema['~standard'].validate(value);
    if (result instanceof Promise) result = await result;
    return toParsed(result);
  } catch (cause) {
    return validatorFailed(cause);
  }
}

/**
 * Parses `value` with a validator that answers at once. For places that may not give up control, such as a
 * reducer's owner. A validator that answers later is an issue: its definition is refused where this is used.
 */
export function parseNow<S extends Schema>(schema: S, value: unknown): Parsed<InferOutput<S>> {
  try {
    const result = schema['~standard'].validate(value);
    if (result instanceof Promise) {
      result.catch(() => undefined);
      return { ok: false, issues: [{ path: '', message: 'This schema validates asynchronously' }] };
    }
    return toParsed(result);
  } catch (cause) {
    return validatorFailed(cause);
  }
}

/** The issues as one line of text, in the validator's order; at most `most` are named, the rest are counted. */
export function issuesText(issues: readonly SchemaIssue[], most = 10): string {
  const named = issues.slice(0, most).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  if (issues.length > most) named.push(`and ${issues.length - most} more`);
  return named.join('; ');
}

function toParsed(result: StandardSchemaV1.Result<unknown>): Parsed<unknown> {
  if (result.issues === undefined) return { ok: true, value: result.value };
  return { ok: false, issues: result.issues.map((issue) => ({ path: pathText(issue.path), message: issue.message })) };
}

function pathText(path: StandardSchemaV1.Issue['path']): string {
  if (path === undefined) return '';
  return path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
}

/** A transform that throws, or a stack that overflows on absurd nesting, which is no mistake of the schema's. */
function validatorFailed(cause: unknown): { ok: false; issues: SchemaIssue[]; cause?: unknown } {
  const overflow = cause instanceof RangeError && cause.message.includes('call stack');
  if (overflow) return { ok: false, issues: [{ path: '', message: 'The value is nested too deeply' }] };
  // The text must not carry the validator's internals.
  return { ok: false, issues: [{ path: '', message: 'The value could not be validated' }], cause };
}
