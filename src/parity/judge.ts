/**
 * The verdict on one call that two servers answered: the wire's envelope off, what is meant to differ taken out, JSON in
 * texts read, and the rest compared. What the control's own noise explains is no difference and no match either. Pure.
 */
import type { AllowedDifferences } from './allowed.ts';
import { differences, type Difference, type Verdict } from './compare.ts';
import { envelopeDifference, type EnvelopeFault } from './envelope.ts';
import { readJsonTexts } from './json-text.ts';
import type { Noise } from './noise.ts';
import type { Observation } from './observe.ts';
import { sanitize, type SanitizeRules } from './sanitize.ts';

export interface Rules {
  readonly sanitize: SanitizeRules;
  readonly noise: Noise;
  readonly allowed: AllowedDifferences;
}

export interface Side {
  readonly target: string;
  readonly era: '2025' | '2026';
  readonly saw: Observation;
  /** What its era requires of the message and the message does not have. */
  readonly envelope?: readonly EnvelopeFault[] | undefined;
}

export interface Judgement {
  readonly verdict: Verdict;
  /** What neither noise nor an allowed difference explains. */
  readonly differences: readonly Difference[];
  /** Ids of the rows that explained the rest. */
  readonly allowed: readonly string[];
  /** Places that differ and vary on the control too. */
  readonly noisy: readonly string[];
  readonly cause?: string;
}

const MATCH: Judgement = { verdict: 'match', differences: [], allowed: [], noisy: [] };

/** @param where The tool, prompt, resource or scenario that was asked. */
export function judge(where: string, control: Side, candidate: Side, rules: Rules): Judgement {
  for (const { target, saw } of [control, candidate]) {
    if (saw.kind === 'harness_error') return { ...MATCH, verdict: 'harness_error', cause: `${target}: ${saw.cause}` };
  }
  const found = differencesOf(where, control, candidate, rules.sanitize);
  // What a client throws at is no noise, whatever the control does.
  const owed = (candidate.envelope ?? []).map((fault) => envelopeDifference(candidate.era, fault));
  if (found.length + owed.length === 0) return MATCH;
  const noisy: string[] = [];
  const allowed: string[] = [];
  const rest = [...found, ...owed].filter((difference) => {
    if (!owed.includes(difference) && rules.noise.explains(where, difference)) {
      noisy.push(difference.path);
      return false;
    }
    const row = rules.allowed.explain(where, candidate.target, difference);
    if (row !== undefined) allowed.push(row.id);
    return row === undefined;
  });
  const verdict = rest.length > 0 ? 'mismatch' : allowed.length > 0 ? 'known_difference' : 'inconclusive';
  return { verdict, differences: rest, allowed, noisy };
}

/** Every place where two sides differ in meaning, before noise and allowed differences are looked at. */
export function differencesOf(
  where: string,
  control: Side,
  candidate: Side,
  rules: SanitizeRules,
): readonly Difference[] {
  const sameEra = control.era === candidate.era;
  const [left, right] = [control.saw, candidate.saw].map((saw) => sanitize(sameEra ? saw : plain(saw), where, rules));
  if (left === undefined || right === undefined) return [];
  // Nearly all pairs are equal to the letter.
  if (JSON.stringify(left) === JSON.stringify(right)) return [];
  return differences(...readJsonTexts(left, right));
}

/** Cache hints exist in the 2026 era only, so between eras they are part of the envelope (spec 2026-07-28, caching). */
function plain(saw: Observation): Observation {
  if (saw.kind !== 'result') return saw;
  const { ttlMs: _ttlMs, cacheScope: _cacheScope, ...result } = saw.result;
  return { kind: 'result', result };
}
