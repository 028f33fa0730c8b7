/**
 * One run from the first connection to the report: surfaces, noise of the control, then every case. Does not print and
 * does not exit; what it learns on the way it tells to its hooks. A run that ends early gives the report of what it has.
 */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { AllowedDifferences } from '../../../src/parity/allowed.ts';
import type { Rules } from '../../../src/parity/judge.ts';
import { Noise } from '../../../src/parity/noise.ts';
import { textOf } from '../../../src/parity/surface/listing.ts';
import { readSurface } from '../targets/read-surface.ts';
import type { Connection } from '../targets/connect.ts';
import type { Limits } from '../targets/open.ts';
import type { Target } from '../targets/target.ts';
import { Throttle } from '../targets/throttle.ts';
import { WireFault } from '../targets/wire.ts';
import { SchemaWork } from '../schemas/schema-work.ts';
import { Breaker } from './breaker.ts';
import { explore } from './explore.ts';
import { Comparer, type Judged, type Parts } from './compare-case.ts';
import { Listings } from './listing.ts';
import type { RunOptions } from './options.ts';
import { makePlan } from './plan.ts';
import { reportOf, type Seen } from './make-report.ts';
import { nothingAsked } from './nothing-asked.ts';
import type { RunReport } from './report.ts';
import { runFresh, runRecorded, runSafe, runScenarios, runSequences } from './phases.ts';
import type { Progress, Running } from './running.ts';
import { openSession, type Session } from './session.ts';
import { compareSurfaces } from './surfaces.ts';
import { Tally } from './tally.ts';

export interface Hooks {
  readonly onProgress?: (progress: Progress) => void;
  readonly onJudged?: (judged: Judged) => void | Promise<void>;
  /** Ends the run; its report says so and holds what was seen until then. */
  readonly signal?: AbortSignal;
}

export async function runParity(
  options: RunOptions,
  hooks: Hooks = {},
  now: () => Date = () => new Date(),
): Promise<RunReport> {
  const startedAt = now();
  const { signal } = hooks;
  const breaker = new Breaker();
  const allowed = new AllowedDifferences(options.allowed, startedAt.toISOString().slice(0, 10));
  const rules: Rules = { sanitize: options.sanitize, noise: new Noise(), allowed };
  const tally = new Tally(options.candidates.map(({ name }) => name));
  const work = new SchemaWork(({ target, tool, schema }, why) =>
    breaker.note({ target, where: `tool ${tool}`, reason: 'schema_work', cause: `${schema}: ${why}` }),
  );
  const listings = new Listings(work);
  const limits = limitsOf(options, (target, notice) => listings.notice(target.name, notice, allowed), signal);
  const onJudged = hooks.onJudged ?? (() => undefined);
  const parts: Parts = { options, work, limits, rules, breaker, listings, tally, onJudged, signal };
  const comparer = new Comparer(parts);
  const seen: Seen = {
    connections: [],
    surfaces: new Map(),
    findings: [],
    notCompared: [],
    unasked: new Map(),
    envelope: [],
    aborted: undefined,
  };
  // A report of what was seen is worth more than none, whatever went wrong on the way.
  const whole = compareEverything({ options, parts, comparer, hooks, seen }).catch((thrown: unknown) => {
    seen.aborted = thrown instanceof Error ? thrown.message : String(thrown);
  });
  await (signal === undefined ? whole : Promise.race([whole, interrupted(signal)]));
  await work.close();
  if (signal?.aborted === true) seen.aborted = `interrupted${reasonOf(signal)}`;
  return reportOf({ startedAt, durationMs: now().getTime() - startedAt.getTime(), parts, comparer, seen });
}

/** What is on its way when a run is interrupted gets this long. */
const GRACE_MS = 1_500;

const interrupted = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await once(signal, 'abort');
  await delay(GRACE_MS);
};

const reasonOf = ({ reason }: AbortSignal): string =>
  typeof reason === 'string'
    ? ` by ${reason}`
    : reason instanceof Error && reason.name !== 'AbortError'
      ? `: ${reason.message}`
      : '';

function limitsOf(
  { timeoutMs, connectTimeoutMs }: RunOptions,
  onNotice: Exclude<Limits['onNotice'], undefined>,
  signal: AbortSignal | undefined,
): Limits {
  const throttles = new Map<string, Throttle>();
  const throttleOf = (target: Target): Throttle => {
    const known = throttles.get(target.name);
    if (known !== undefined) return known;
    const made = new Throttle((ms, why) => onNotice(target, { notice: 'told_to_wait', ms, why }), signal);
    throttles.set(target.name, made);
    return made;
  };
  return { timeoutMs, connectTimeoutMs, onNotice, throttleOf };
}

async function compareEverything(everything: Omit<Everything, 'session'>): Promise<void> {
  const { options, parts, hooks, seen } = everything;
  hooks.onProgress?.({ phase: 'connecting', group: '', done: 0, mismatches: 0 });
  const session = await openSession(options.control, options.candidates, parts.limits, parts.breaker);
  if (session === undefined) {
    seen.aborted = 'the targets could not be opened';
    return;
  }
  const close = (): void => void session.close();
  hooks.signal?.addEventListener('abort', close, { once: true });
  try {
    seen.connections = [session.control, ...session.candidates];
    const listed = await readAll(session, parts, seen);
    if (listed === undefined) seen.aborted = 'the targets could not be read';
    else await compareAll({ ...everything, session: listed });
  } finally {
    hooks.signal?.removeEventListener('abort', close);
    await session.close();
  }
}

interface Everything {
  readonly options: RunOptions;
  readonly session: Session;
  readonly parts: Parts;
  readonly comparer: Comparer;
  readonly hooks: Hooks;
  readonly seen: Seen;
}

async function compareAll({ options, session, parts, comparer, hooks, seen }: Everything): Promise<void> {
  const { breaker, listings, rules } = parts;
  for (const [target, surface] of seen.surfaces) await listings.add(target, surface, breaker);
  if (options.just === undefined) seen.findings = compareSurfaces(options, seen, rules.allowed);
  const known = await explore({ options, session, surfaces: seen.surfaces, work: parts.work, limits: parts.limits });
  const plan = await makePlan(options, session, seen.surfaces, listings, parts.work, known, (tool, why) =>
    breaker.note({ target: options.control.name, where: `tool ${tool}`, reason: 'schema_work', cause: why }),
  );
  seen.notCompared = plan.notCompared;
  const running: Running = {
    options,
    session,
    parts,
    comparer,
    plan,
    onProgress: hooks.onProgress ?? (() => undefined),
    seen,
    skip: ({ group }) => {
      const why = [session.control, ...session.candidates]
        .map(({ target }) => breaker.closed(target.name, group))
        .find((each) => each !== undefined);
      const known = seen.unasked.get(group);
      seen.unasked.set(group, { count: (known?.count ?? 0) + 1, why: known?.why ?? why ?? 'the run ended before' });
    },
  };
  // Each phase says what it leaves out when the targets are gone.
  for (const phase of [runSafe, runFresh, runSequences, runScenarios, runRecorded]) await phase(running);
  // Some were compared to the end, but what the others would have answered nobody knows.
  const lost = seen.connections.find(({ target }) => breaker.gone(target.name) !== undefined);
  if (lost !== undefined) seen.aborted = `${lost.target.name} stopped answering`;
  else if (parts.tally.total === 0 && breaker.errors().length === 0) {
    const tools = seen.surfaces.get(options.control.name)?.tools ?? [];
    seen.aborted = nothingAsked(
      options,
      tools.map((tool) => textOf(tool['name'])),
      seen.notCompared,
    );
  }
}

/** Reads every surface; a candidate that cannot be read drops out, a control that cannot ends the run. */
async function readAll(
  session: Session,
  { breaker, listings, rules, limits }: Parts,
  seen: Seen,
): Promise<Session | undefined> {
  const read = async (connection: Connection): Promise<Connection | undefined> => {
    const { name } = connection.target;
    try {
      const { surface, envelope } = await readSurface(connection, limits);
      seen.surfaces.set(name, surface);
      for (const { method, faults } of envelope)
        if (connection === session.control) listings.envelope(name, { method }, faults, rules.allowed);
        else seen.envelope.push({ target: name, era: connection.era, method, faults });
      return connection;
    } catch (thrown) {
      const [reason, cause] =
        thrown instanceof WireFault ? [thrown.reason, thrown.message] : (['garbage', String(thrown)] as const);
      breaker.note({ target: name, where: 'listing', reason, cause });
      return undefined;
    }
  };
  const [control, ...others] = await Promise.all([session.control, ...session.candidates].map(read));
  const candidates = others.filter((each) => each !== undefined);
  return control === undefined || candidates.length === 0 ? undefined : { ...session, candidates };
}
