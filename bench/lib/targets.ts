/** What the benchmark holds us to: plain's cost above the floor divided by ours. Pure. */
import type { Operation } from './wire.ts';

/** Throughput, ours divided by plain's, with 16 connections. */
export const THROUGHPUT_TARGET = 0.95;
const LEGACY_TARGET = 0.95;
/** A class of one's own, against itself as the package serves it. */
const OWN_TARGETS = {
  'wrapped tools/call': 1,
  'wrapped initialize + call': 0.97,
  'hosted tools/call': 1,
} as const;

/** From how many tools on which ratio is promised, the largest first. */
const STATELESS_TARGETS = {
  'tools/call': [
    [200, 1.6],
    [50, 1.3],
    [1, 1],
  ],
  'tools/list': [
    [200, 7],
    [50, 3],
    [1, 1],
  ],
} as const;

export function targetFor(operation: Operation, tools: number): number {
  if (isOwn(operation)) return OWN_TARGETS[operation];
  if (operation.startsWith('legacy')) return LEGACY_TARGET;
  const steps = STATELESS_TARGETS[operation.endsWith('list') ? 'tools/list' : 'tools/call'];
  return steps.find(([from]) => tools >= from)?.[1] ?? 0;
}

/** True for what is measured of a class of one's own. */
export const isOwn = (operation: Operation): operation is keyof typeof OWN_TARGETS => operation in OWN_TARGETS;

/** On a shared and busy machine a short run tells a blunder from noise, and nothing finer. */
export const GROSS = 0.5;
