/** What the operator's API answers, as far as the command reads it. */
import * as v from 'valibot';
import { couldNot } from './stop.ts';

const Route = v.picklist(['legacy', 'sse', 'mcp']);

/** Who signed in, and the name that they gave themselves. */
const By = { who: v.string(), said: v.optional(v.string()) };
const Braked = { ...By, why: v.optional(v.string()), at: v.number() };

export const Brake = v.variant('on', [
  v.object({ on: v.literal(false) }),
  v.object({ on: v.literal(true), ...Braked, again: v.optional(v.array(v.object(Braked)), []) }),
]);

/** What the Worker knows of a flag's changes, so far as they were made with these commands. */
const FlagRecord = v.object({
  revision: v.number(),
  changed: v.optional(v.object({ ...By, at: v.number() })),
  position: v.optional(
    v.object({
      stage: v.string(),
      ramp: v.optional(v.object({ stage: v.string(), percent: v.number() })),
      since: v.number(),
    }),
  ),
  claim: v.optional(v.object({ ...By, at: v.number() })),
});
export type FlagRecord = v.InferOutput<typeof FlagRecord>;

export const Status = v.looseObject({
  server: v.object({ name: v.string(), version: v.string() }),
  source: v.picklist(['flagship', 'variables']),
  warnings: v.optional(v.array(v.string()), []),
  hasLegacy: v.boolean(),
  /** Where a Worker on this machine has its flags, if who started it says so. */
  localStore: v.optional(v.nullable(v.string()), null),
  /** What the deployment calls them; a Worker of an earlier version says nothing of it. */
  bindings: v.optional(v.object({ legacy: v.string(), flags: v.string() })),
  routes: v.array(
    v.object({
      route: Route,
      path: v.string(),
      flag: v.string(),
      stage: v.string(),
      reason: v.string(),
      trouble: v.optional(v.object({ problem: v.string(), since: v.number() })),
      variablePrefix: v.optional(v.string()),
      variables: v.record(v.string(), v.string()),
      record: v.optional(v.nullable(FlagRecord), null),
    }),
  ),
  brake: v.nullable(Brake),
  totals: v.nullable(
    v.looseObject({
      clients: v.number(),
      blockedClients: v.number(),
      openSessions: v.object({ legacy: v.number(), sse: v.number(), drained: v.number(), compat: v.number() }),
      untrackedSessions: v.optional(v.number(), 0),
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
      lanes: v.array(
        v.looseObject({
          route: v.string(),
          lane: v.string(),
          calls: v.number(),
          reasons: v.optional(v.record(v.string(), v.number()), {}),
        }),
      ),
      uses: v.array(v.looseObject({ use: v.string(), blocks: v.boolean(), why: v.string() })),
      lastSeenAt: v.number(),
      calls: v.number(),
      openSessions: v.number(),
      verdict: v.union([v.picklist(['ready', 'unproven']), v.object({ blockedBy: v.array(v.string()) })]),
    }),
  ),
  unlisted: v.optional(v.object({ clients: v.number(), calls: v.number() }), { clients: 0, calls: 0 }),
});
export type Census = v.InferOutput<typeof Census>;

export const Forgotten = v.object({
  clients: v.number(),
  calls: v.number(),
  names: v.array(v.string()),
  dryRun: v.boolean(),
});

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
      ...By,
      action: v.string(),
      detail: v.unknown(),
      why: v.optional(v.string()),
    }),
  ),
});

export const Claim = v.object({ claim: v.string() });

export const BrakeAnswer = v.object({ brake: Brake });

export function read<Schema extends v.GenericSchema>(schema: Schema, answer: unknown): v.InferOutput<Schema> {
  const { success, output } = v.safeParse(schema, answer);
  if (success) return output;
  throw couldNot("The Worker's answer is not understood", 'Use the command of the version that is deployed.');
}
