/**
 * What a comparison proved, as a file that a later step can demand: per tool how much was compared and how high the rate
 * of mismatches can still be, and for which versions. Reading one never trusts more than it says. Pure: the time is an
 * argument.
 */
import * as v from 'valibot';
import { upperBound } from './bound.ts';

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));
const Text = v.pipe(v.string(), v.nonEmpty());

const CertifiedTool = v.object({
  tool: Text,
  calls: Count,
  distinctInputs: Count,
  mismatches: Count,
  upperBound95: v.pipe(v.number(), v.minValue(0), v.maxValue(1)),
  noisyPaths: v.array(v.string()),
});
const CertifiedTarget = v.object({
  name: Text,
  address: Text,
  era: v.picklist(['2025', '2026']),
  protocol: v.string(),
  version: v.string(),
  catalogueSha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
});

export const Certificate = v.object({
  format: v.literal('mcp-parity-certificate/1'),
  date: v.pipe(v.string(), v.isoTimestamp()),
  seed: v.number(),
  /** True only when every tool was asked, nothing differed and nothing failed to be asked. */
  equal: v.boolean(),
  control: CertifiedTarget,
  candidate: CertifiedTarget,
  tools: v.array(CertifiedTool),
  /** Listed tools that were not called, each with why. */
  notCompared: v.array(v.object({ tool: Text, reason: Text })),
  noisyTools: v.array(Text),
  allowed: v.array(Text),
});
export type Certificate = v.InferOutput<typeof Certificate>;
export type CertifiedTool = v.InferOutput<typeof CertifiedTool>;

/** Repeating an input says nothing new, so the bound counts distinct ones. */
export function certifiedTool(counted: Omit<CertifiedTool, 'upperBound95'>): CertifiedTool {
  const bound = upperBound(Math.min(counted.mismatches, counted.distinctInputs), counted.distinctInputs);
  return { ...counted, upperBound95: bound };
}

/** How high a tool's mismatch rate may still be, where nobody demands another: some 150 distinct inputs without one. */
export const USUAL_MAX_BOUND = 0.02;

export interface Demand {
  readonly now: Date;
  readonly maxAgeMs: number;
  /** The highest bound that any tool may have. */
  readonly maxUpperBound: number;
  /** Digests of what runs now; another catalogue voids the certificate. */
  readonly catalogues?: { readonly control?: string; readonly candidate?: string };
  /** Tools that need not have been called, such as those that write. */
  readonly exempt?: readonly string[];
}

export type Refusal =
  | { readonly reason: 'unreadable'; readonly problem: string }
  | { readonly reason: 'not_equal' }
  | { readonly reason: 'too_old'; readonly ageMs: number }
  | { readonly reason: 'from_the_future' }
  | { readonly reason: 'other_catalogue'; readonly side: 'control' | 'candidate' }
  | { readonly reason: 'nothing_compared' }
  | { readonly reason: 'not_compared'; readonly tools: readonly string[] }
  | { readonly reason: 'bound_too_high'; readonly tool: string; readonly upperBound95: number };

/** Why a certificate does not meet a demand; nothing when it does. */
export function checkCertificate(file: unknown, demand: Demand): readonly Refusal[] {
  const read = v.safeParse(Certificate, file);
  if (!read.success) return [{ reason: 'unreadable', problem: v.summarize(read.issues) }];
  const { date, equal, tools, notCompared, control, candidate } = read.output;
  const refusals: Refusal[] = [];
  if (!equal) refusals.push({ reason: 'not_equal' });
  const ageMs = demand.now.getTime() - Date.parse(date);
  if (ageMs < 0) refusals.push({ reason: 'from_the_future' });
  if (ageMs > demand.maxAgeMs) refusals.push({ reason: 'too_old', ageMs });
  for (const [side, target] of [
    ['control', control],
    ['candidate', candidate],
  ] as const) {
    const digest = demand.catalogues?.[side];
    if (digest !== undefined && digest !== target.catalogueSha256) refusals.push({ reason: 'other_catalogue', side });
  }
  if (tools.length === 0) refusals.push({ reason: 'nothing_compared' });
  const missing = notCompared.map(({ tool }) => tool).filter((tool) => !(demand.exempt ?? []).includes(tool));
  if (missing.length > 0) refusals.push({ reason: 'not_compared', tools: missing });
  for (const counted of tools) {
    // Computed again: the file may have been written by anybody.
    const { tool, upperBound95 } = certifiedTool(counted);
    if (upperBound95 > demand.maxUpperBound) refusals.push({ reason: 'bound_too_high', tool, upperBound95 });
  }
  return refusals;
}

export function refusalText(refusal: Refusal): string {
  switch (refusal.reason) {
    case 'unreadable':
      return `It is no parity certificate: ${refusal.problem}`;
    case 'not_equal':
      return 'The run that it certifies found differences or could not ask everything.';
    case 'too_old':
      return `It is ${(refusal.ageMs / 3_600_000).toFixed(1)} hours old.`;
    case 'from_the_future':
      return 'Its date is in the future.';
    case 'other_catalogue':
      return `The ${refusal.side} now lists another catalogue than the one compared.`;
    case 'nothing_compared':
      return 'No tool was compared.';
    case 'not_compared':
      return `Not compared: ${refusal.tools.join(', ')}.`;
    case 'bound_too_high':
      return `${refusal.tool}: the mismatch rate can still be ${(refusal.upperBound95 * 100).toFixed(2)} % (95 % bound).`;
  }
}
