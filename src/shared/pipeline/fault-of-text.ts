/**
 * Which fault a text on the wire is: for an answer that was made where its verdict cannot travel beside it. The patterns
 * are made of the texts themselves, so neither can change without the other. Pure.
 */
import { ASKABLE } from '../define/questions.ts';
import { faultOnWire, type Fault, type FaultName } from './fault.ts';

/** Stands in a sample for a name, which ends where the sentence goes on. */
const NAME = '\u{e000}';
/** Stands for what may be anything, up to the end of the text. */
const REST = '\u{e001}';
/** Stands for any number. */
const NUMBER = 987_654_321;

const issues = [{ path: '', message: REST }];

/** One for each text that a fault can have. Its problem is all that a malformed request says, so no text shows it. */
const SAMPLES: { readonly [Name in FaultName]: readonly Extract<Fault, { fault: Name }>[] } = {
  unknown_tool: [{ fault: 'unknown_tool', tool: REST }],
  insufficient_scope: [{ fault: 'insufficient_scope', tool: REST, scopes: [NAME] }],
  malformed_request: [],
  invalid_arguments: [{ fault: 'invalid_arguments', tool: NAME, issues }],
  tool_failed: [{ fault: 'tool_failed', tool: NAME }],
  not_configured: [{ fault: 'not_configured', tool: NAME }],
  invalid_result: [{ fault: 'invalid_result', tool: NAME }],
  result_too_large: [{ fault: 'result_too_large', tool: NAME, limitBytes: NUMBER }],
  deadline_exceeded: [{ fault: 'deadline_exceeded', tool: NAME, limitMs: NUMBER }],
  cancelled: [{ fault: 'cancelled', tool: NAME }],
  lane_cannot_ask: [
    ...ASKABLE.flatMap((needs) =>
      [NAME, undefined].map((otherwiseAt) => ({ fault: 'lane_cannot_ask', tool: NAME, needs, otherwiseAt }) as const),
    ),
  ],
  client_cannot_be_asked: [
    { fault: 'client_cannot_be_asked', tool: NAME, needs: 'elicitation' },
    { fault: 'client_cannot_be_asked', tool: NAME, needs: 'sampling' },
    { fault: 'client_cannot_be_asked', tool: NAME, needs: 'roots' },
  ],
  invalid_answer: [{ fault: 'invalid_answer', tool: NAME, key: NAME, issues }],
  unanswered: [{ fault: 'unanswered', tool: NAME, key: NAME }],
  unknown_handle: [{ fault: 'unknown_handle', tool: NAME }],
  caller_unidentified: [{ fault: 'caller_unidentified', tool: NAME }],
  session_ended: [{ fault: 'session_ended', tool: NAME }],
  sign_in_needed: [{ fault: 'sign_in_needed', tool: NAME }],
  state_unreadable: [{ fault: 'state_unreadable', tool: NAME }],
  state_too_large: [{ fault: 'state_too_large', tool: NAME, limitBytes: NUMBER }],
  state_unavailable: [{ fault: 'state_unavailable', tool: NAME }],
};

const PATTERNS: readonly { readonly name: FaultName; readonly pattern: RegExp }[] = Object.values(SAMPLES)
  .flat()
  .flatMap((sample) =>
    (['tool', 'prompt', 'resource'] as const).map((what) => {
      const wire = faultOnWire(sample, what);
      return { name: sample.fault, pattern: patternOf(wire.kind === 'result' ? wire.text : wire.error.message) };
    }),
  );

function patternOf(text: string): RegExp {
  const [fixed = '', rest] = text.split(REST);
  const source = fixed
    .replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(NAME, '[^]*?')
    .replaceAll(String(NUMBER), String.raw`\d+`);
  return new RegExp(`^${source}${rest === undefined ? '$' : ''}`);
}

/** Undefined for a text that is no fault's. */
export const faultOfText = (text: unknown): FaultName | undefined =>
  typeof text === 'string' ? PATTERNS.find(({ pattern }) => pattern.test(text))?.name : undefined;
