/**
 * Validators for listed schemas and for this program's own files. A schema that is none, or that refers to what is not
 * there, is a value with a reason. Ajv compiles code, so this is for Node only.
 */
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Validate } from '../../src/parity/own-listing.ts';

export type Compiled =
  | { readonly ok: true; readonly validate: Validate }
  | { readonly ok: false; readonly why: string };

const OPTIONS = { strict: false, allErrors: false, logger: false } as const;
/** They check schemas and nothing else: the schema of schemas takes far longer to compile than those that servers list. */
const CHECKS = { draft07: new Ajv(OPTIONS), draft2020: new Ajv2020(OPTIONS) };

/** 2020-12 unless the schema says draft-07, which SDK v1 lists. */
export function compileSchema(schema: unknown): Compiled {
  const dialect = typeof schema === 'object' && schema !== null && '$schema' in schema ? String(schema.$schema) : '';
  try {
    const [Dialect, check] = /draft-0[4-7]/.test(dialect) ? [Ajv, CHECKS.draft07] : [Ajv2020, CHECKS.draft2020];
    const own = withoutDialect(schema) as object;
    if (check.validateSchema(own) !== true) return { ok: false, why: `schema is invalid: ${check.errorsText()}` };
    // One instance a schema: two schemas of two servers may carry the same $id.
    const ajv = new Dialect({ ...OPTIONS, validateSchema: false });
    addFormats(ajv);
    const compiled = ajv.compile(own);
    return {
      ok: true,
      validate: (value) => {
        if (compiled(value)) return undefined;
        const [error] = compiled.errors ?? [];
        const key = (error?.params as Record<string, unknown> | undefined)?.['additionalProperty'];
        const which = typeof key === 'string' ? `: ${key}` : '';
        return `${error?.instancePath === '' ? 'it' : (error?.instancePath ?? 'it')} ${error?.message ?? 'does not fit'}${which}`;
      },
    };
  } catch (thrown) {
    return { ok: false, why: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

/** The dialect has been chosen; Ajv refuses to compile one that it has no meta-schema for. */
function withoutDialect(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema;
  const { $schema: _dialect, ...rest } = schema as Record<string, unknown>;
  return rest;
}
