/** What stays different between the lanes of the demo, each place as one row of literals; a row that explains nothing fails. */
import type { KnownDifference } from '../../src/parity/known.ts';

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    ...noSession('result.content.0.text'),
    controlValue: '{"value":5,"handle":"<name 1>"}',
    candidateValue: '{"value":0,"handle":"<name 2>"}',
  },
  {
    ...noSession('result.content.1.text'),
    controlValue: 'To go on with this state, pass "<name 1>" as the argument "handle" of the next call.',
    candidateValue: 'To go on with this state, pass "<name 2>" as the argument "handle" of the next call.',
  },
  { ...noSession('result.structuredContent.value'), controlValue: 5, candidateValue: 0 },
  { ...noSession('result.structuredContent.handle'), controlValue: '<name 1>', candidateValue: '<name 2>' },
];

/** A function, so that the list of literals comes first in the file. */
function noSession(path: string): Omit<KnownDifference, 'controlValue' | 'candidateValue'> {
  return {
    id: `no-session/${path}`,
    case: 'getCounter, without its handle',
    control: 'legacy',
    candidate: 'modern',
    path,
    reference: 'spec 2026-07-28, changelog: sessions are removed',
    why: 'The modern protocol has no session that could name the state, so a call without a handle starts a new one.',
  };
}
