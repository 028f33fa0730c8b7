/** Differences of the lanes that must stay. The comparison explains each by exactly one row; a row that explains nothing fails. */
import type { KnownDifference } from '../../src/parity/known.ts';

/** A method that the modern protocol does not have: its error in place of the empty result of the other lanes. */
function removedMethod(id: string, name: string): KnownDifference[] {
  const row = {
    case: name,
    control: 'expected',
    candidate: 'modern',
    reference: 'spec 2026-07-28, changelog: resources/subscribe and resources/unsubscribe are removed',
    why: 'The modern protocol subscribes with subscriptions/listen.',
  } as const;
  const error = { code: -32601, message: 'Method not found' };
  return [
    { ...row, id: `${id}/kind`, path: 'kind', controlValue: 'result', candidateValue: 'error' },
    { ...row, id: `${id}/result`, path: 'result', controlValue: {}, candidateValue: undefined },
    { ...row, id: `${id}/error`, path: 'error', controlValue: undefined, candidateValue: error },
  ];
}

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  ...removedMethod('subscribe', 'a subscription is accepted, since nothing will ever have to be sent'),
  ...removedMethod('unsubscribe', 'a subscription can be ended'),
  {
    id: 'no-session/text',
    case: 'a session keeps its state without a handle',
    control: 'expected',
    candidate: 'modern',
    path: 'result.content.0.text',
    controlValue: '{"value":7,"handle":"<name 1>"}',
    candidateValue: '{"value":3,"handle":"<name 2>"}',
    reference: 'spec 2026-07-28, changelog: sessions are removed',
    why: 'The modern protocol has no session that could name the state, so a call without a handle starts a new one.',
  },
  {
    id: 'no-session/told',
    case: 'a session keeps its state without a handle',
    control: 'expected',
    candidate: 'modern',
    path: 'result.content.1.text',
    controlValue: 'To go on with this state, pass "<name 1>" as the argument "handle" of the next call.',
    candidateValue: 'To go on with this state, pass "<name 2>" as the argument "handle" of the next call.',
    reference: 'spec 2026-07-28, changelog: sessions are removed',
    why: 'As above, in the words that tell a model what to do with the handle.',
  },
  {
    id: 'no-session/value',
    case: 'a session keeps its state without a handle',
    control: 'expected',
    candidate: 'modern',
    path: 'result.structuredContent.value',
    controlValue: 7,
    candidateValue: 3,
    reference: 'spec 2026-07-28, changelog: sessions are removed',
    why: 'As above, in the structured content.',
  },
  {
    id: 'no-session/handle',
    case: 'a session keeps its state without a handle',
    control: 'expected',
    candidate: 'modern',
    path: 'result.structuredContent.handle',
    controlValue: '<name 1>',
    candidateValue: '<name 2>',
    reference: 'spec 2026-07-28, changelog: sessions are removed',
    why: 'As above: each new state has a handle of its own.',
  },
];
