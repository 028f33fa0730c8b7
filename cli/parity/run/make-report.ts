/** Puts together what a run has seen, and weighs it: equal, different, or not to be said. */
import { createHash } from 'node:crypto';
import { canonical, type Surface } from '../../../src/parity/surface/listing.ts';
import { countInputs } from '../generate/count-inputs.ts';
import type { Connection } from '../targets/connect.ts';
import type { EnvelopeFault } from '../../../src/parity/envelope.ts';
import { addressText, differsBy, type Era, type Target } from '../targets/target.ts';
import type { Comparer, Parts } from './compare-case.ts';
import type { GroupReport, RunReport, TargetReport } from './report.ts';

export interface Seen {
  connections: readonly Connection[];
  readonly surfaces: Map<string, Surface>;
  findings: RunReport['surface'];
  notCompared: { group: string; reason: string }[];
  /** What was planned and not asked, by tool. */
  readonly unasked: Map<string, { readonly count: number; readonly why: string }>;
  /** What the candidates' eras require of a listing and it does not have. */
  readonly envelope: ListedEnvelope[];
  aborted: string | undefined;
}

export interface ListedEnvelope {
  readonly target: string;
  readonly era: Era;
  readonly method: string;
  readonly faults: readonly EnvelopeFault[];
}

interface Material {
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly parts: Parts;
  readonly comparer: Comparer;
  readonly seen: Seen;
}

export function reportOf({ startedAt, durationMs, parts, comparer, seen }: Material): RunReport {
  const { options, rules, tally, breaker, listings } = parts;
  const counts = tally.counts();
  const target = (each: Target): TargetReport => targetReport(each, options.control, seen);
  // A run that was narrowed down on purpose says nothing about rows of what it left out.
  const narrowed = options.just !== undefined || options.selection.only.length + options.selection.skip.length > 0;
  const body = {
    ...(seen.aborted !== undefined && { aborted: seen.aborted }),
    control: target(options.control),
    candidates: options.candidates.map(target),
    counts,
    groups: tally
      .groups((group) => rules.noise.of(group))
      .map((group) => withValidInputs(group, seen, options.control)),
    surface: seen.findings,
    listing: listings.found(),
    failures: comparer.failures,
    moreFailures: comparer.moreFailures,
    harnessErrors: breaker.errors(),
    notCompared: [
      ...seen.notCompared,
      ...[...seen.unasked].map(([group, { count, why }]) => ({
        group,
        reason: `${count} calls were not asked: ${why}`,
      })),
    ],
    noisy: rules.noise.tools().map((group) => ({ group, paths: rules.noise.of(group) })),
    allowed: {
      fired: rules.allowed.fired(),
      stale: narrowed ? [] : rules.allowed.stale().map(({ id }) => id),
      expired: rules.allowed.expired().map(({ id }) => id),
    },
  } satisfies Partial<RunReport>;
  const exitCode = exitCodeOf(body, tally.total, tally.missed);
  const outcome = (['equal', 'different', 'could_not_run'] as const)[exitCode];
  return {
    format: 'mcp-parity-report/1',
    startedAt: startedAt.toISOString(),
    durationMs,
    seed: options.seed,
    outcome,
    exitCode,
    ...body,
  };
}

type Weighed = Pick<RunReport, 'counts' | 'surface' | 'listing' | 'harnessErrors' | 'allowed' | 'aborted'>;

/** A run that ended early is not to be trusted; else what was seen weighs more than what could not be looked for. */
function exitCodeOf(
  { counts, surface, listing, harnessErrors, allowed, aborted }: Weighed,
  calls: number,
  missed: number,
): 0 | 1 | 2 {
  // Where a listing is broken, even the calls were made with inputs that nobody could check.
  const broken = harnessErrors.some(({ reason }) => reason === 'broken_listing');
  if (aborted !== undefined || calls === 0 || broken) return 2;
  if (counts.mismatch + missed > 0 || surface.some(({ fails }) => fails) || listing.some(({ fails }) => fails))
    return 1;
  if (harnessErrors.length > 0 || counts.harness_error > 0) return 2;
  return allowed.stale.length + allowed.expired.length > 0 ? 1 : 0;
}

/** Of a tool that takes few inputs, asking all of them is all that can be asked. */
function withValidInputs(group: GroupReport, { surfaces }: Seen, control: Target): GroupReport {
  const tool = group.tool ? surfaces.get(control.name)?.tools.find(({ name }) => name === group.group) : undefined;
  const validInputs = tool === undefined ? undefined : countInputs(tool['inputSchema']);
  return validInputs === undefined ? group : { ...group, validInputs };
}

function targetReport(target: Target, control: Target, { connections, surfaces }: Seen): TargetReport {
  const base = { name: target.name, address: addressText(target.address) };
  const connection = connections.find((each) => each.target.name === target.name);
  if (connection === undefined) return base;
  const surface = surfaces.get(target.name);
  const { info } = connection.server;
  return {
    ...base,
    era: connection.era,
    protocol: connection.protocol,
    ...(connection.lane !== undefined && { lane: connection.lane }),
    ...(target !== control && { differsBy: differsBy(control, target) }),
    server: { name: textOf(info['name']), version: textOf(info['version']) },
    ...(surface !== undefined && { catalogueSha256: digestOf(surface) }),
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : 'unknown');

/** Of everything that is listed, but not of how the server calls itself. */
export function digestOf({ serverInfo: _info, capabilities: _capabilities, ...catalogue }: Surface): string {
  return createHash('sha256').update(canonical(catalogue)).digest('hex');
}
