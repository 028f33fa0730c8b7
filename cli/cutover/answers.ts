/** What the operator's API answers, as far as the command reads it. */
import * as v from 'valibot';
import { couldNot } from './stop.ts';

const Route = v.picklist(['legacy', 'sse', 'mcp']);

export const Brake = v.variant('on', [
  v.object({ on: v.literal(false) }),
  v.object({ on: v.literal(true), who: v.string(), why: v.string(), at: v.number() }),
]);

export const Status = v.looseObject({
  server: v.object({ name: v.string(), version: v.string() }),
  source: v.picklist(['flagship', 'variables']),
  hasLegacy: v.boolean(),
  routes: v.array(
    v.object({
      route: Route,
      path: v.string(),
      flag: v.string(),
      stage: v.string(),
      reason: v.string(),
      variables: v.record(v.string(), v.string()),
    }),
  ),
  brake: v.nullable(Brake),
  totals: v.nullable(
    v.looseObject({
      clients: v.number(),
      blockedClients: v.number(),
      openSessions: v.object({ legacy: v.number(), sse: v.number(), drained: v.number(), compat: v.number() }),
      lastLegacyCallAt: v.nullable(v.number()),
    }),
  ),
});
export type Status = v.InferOutput<typeof Status>;

export const Census = v.looseObject({
  clients: v.array(
    v.looseObject({
      name: v.string(),
      version: v.string(),
      era: v.string(),
      lanes: v.array(v.looseObject({ route: v.string(), lane: v.string(), calls: v.number() })),
      uses: v.array(v.looseObject({ use: v.string(), blocks: v.boolean(), why: v.string() })),
      lastSeenAt: v.number(),
      openSessions: v.number(),
      verdict: v.union([v.literal('ready'), v.object({ blockedBy: v.array(v.string()) })]),
    }),
  ),
});
export type Census = v.InferOutput<typeof Census>;

export const Moved = v.object({
  matched: v.number(),
  changed: v.number(),
  gone: v.number(),
  failed: v.number(),
  left: v.number(),
  dryRun: v.boolean(),
});

export const Retire = v.object({
  ready: v.boolean(),
  checks: v.array(
    v.object({ check: v.string(), ok: v.boolean(), evidence: v.string(), remedy: v.optional(v.string()) }),
  ),
});
export type RetireCheck = v.InferOutput<typeof Retire>['checks'][number];

export const Audit = v.object({
  entries: v.array(
    v.object({
      at: v.number(),
      who: v.string(),
      action: v.string(),
      detail: v.unknown(),
      why: v.optional(v.string()),
    }),
  ),
});

export const BrakeAnswer = v.object({ brake: Brake });

export function read<Schema extends v.GenericSchema>(schema: Schema, answer: unknown): v.InferOutput<Schema> {
  const { success, output } = v.safeParse(schema, answer);
  if (success) return output;
  throw couldNot("The Worker's answer is not understood", 'Use the command of the version that is deployed.');
}
