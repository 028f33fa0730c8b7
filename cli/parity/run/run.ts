/**
 * One run from the first connection to the report: surfaces, noise of the control, then every case. Does not print and
 * does not exit; what it learns on the way it tells to its hooks. A run that ends early gives the report of what it has.
 */
import { AllowedDifferences } from '../../../src/parity/allowed.ts';
import type { Rules } from '../../../src/parity/judge.ts';
import { Noise } from '../../../src/parity/noise.ts';
import { textOf, type Surface } from '../../../src/parity/surface/listing.ts';
import { readSurface } from '../targets/read-surface.ts';
import type { Connection } from '../targets/connect.ts';
import { WireFault } from '../targets/wire.ts';
import { Breaker } from './breaker.ts';
import { Comparer, type Judged, type Parts } from './compare-case.ts';
import { Listings } from './listing.ts';
import type { RunOptions } from './options.ts';
import { makePlan } from './plan.ts';
import { reportOf, type Seen } from './make-report.ts';
import { nothingAsked } from './nothing-asked.ts';
import type { RunReport } from './report.ts';
import { runFresh, runRecorded, runSafe, runScenarios } from './phases.ts';
import type { Progress, Running } from './running.ts';
import { goneForAll, openSession, type Session } from './session.ts';
import { compareSurfaces } from './surfaces.ts';
import { Tally } from './tally.ts';

export interface Hooks {
  readonly onProgress?: (progress: Progress) => void;
  readonly onJudged?: (judged: Judged) => void | Promise<void>;
}

export async function runParity(
  options: RunOptions,
  hooks: Hooks = {},
  now: () => Date = () => new Date(),
): Promise<RunReport> {
  const startedAt = now();
  const breaker = new Breaker();
  const allowed = new AllowedDifferences(options.allowed, startedAt.toISOString().slice(0, 10));
  const rules: Rules = { sanitize: options.sanitize, noise: new Noise(), allowed };
  const tally = new Tally(options.candidates.map(({ name }) => name));
  const listings = new Listings();
  const parts: Parts = { options, rules, breaker, listings, tally, onJudged: hooks.onJudged ?? (() => undefined) };
  const comparer = new Comparer(parts);
  const seen: Seen = { connections: [], surfaces: new Map(), findings: [], notCompared: [], aborted: undefined };

  hooks.onProgress?.({ phase: 'connecting', group: '', done: 0, mismatches: 0 });
  const session = await openSession(options.control, options.candidates, options, breaker);
  if (session === undefined) seen.aborted = 'the targets could not be opened';
  else {
    try {
      seen.connections = [session.control, ...session.candidates];
      const listed = await readAll(session, breaker, seen.surfaces);
      if (listed === undefined) seen.aborted = 'the targets could not be read';
      else await compareAll({ options, session: listed, parts, comparer, hooks, seen });
    } finally {
      await session.close();
    }
  }
  return reportOf({ startedAt, durationMs: now().getTime() - startedAt.getTime(), parts, comparer, seen });
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
  for (const [target, surface] of seen.surfaces) listings.add(target, surface, breaker);
  if (options.just === undefined) seen.findings = compareSurfaces(options, seen.surfaces, rules.allowed);
  const plan = makePlan(options, session, seen.surfaces, listings);
  seen.notCompared = plan.notCompared;
  const running: Running = {
    options,
    session,
    parts,
    comparer,
    plan,
    onProgress: hooks.onProgress ?? (() => undefined),
    seen,
  };
  for (const phase of [runSafe, runFresh, runScenarios, runRecorded]) {
    await phase(running);
    if (goneForAll(session, breaker)) {
      const lost = seen.connections.find(({ target }) => breaker.gone(target.name) !== undefined);
      seen.aborted = `${lost?.target.name ?? 'a target'} stopped answering`;
      return;
    }
  }
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
  breaker: Breaker,
  surfaces: Map<string, Surface>,
): Promise<Session | undefined> {
  const read = async (connection: Connection): Promise<Connection | undefined> => {
    const { name } = connection.target;
    try {
      surfaces.set(name, await readSurface(connection));
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
