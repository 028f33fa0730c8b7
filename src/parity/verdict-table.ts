/**
 * The verdicts of a run as a table, one line for each case and candidate, and the counts that a certificate states. The
 * same counter makes the certificate and checks it, so the two can only agree or be told apart. Pure.
 */
import * as v from 'valibot';
import { ANSWER_KINDS, NO_ANSWERS, type AnswerCounts, type AnswerKind } from './answer-kind.ts';

const VERDICTS = ['match', 'known_difference', 'mismatch', 'harness_error', 'inconclusive'] as const;

export const VerdictLine = v.object({
  id: v.string(),
  /** A tool, or `prompt x`, `resource x`, `scenario x`. */
  group: v.string(),
  /** True for a call of the tool that the group is named after. */
  tool: v.boolean(),
  /** Fingerprint of the parameters: repeating an input says nothing new. */
  input: v.number(),
  candidate: v.string(),
  verdict: v.picklist(VERDICTS),
  /** What kind of answer each side gave; null where it gave none. */
  control: v.nullable(v.picklist(ANSWER_KINDS)),
  answer: v.nullable(v.picklist(ANSWER_KINDS)),
});
export type VerdictLine = v.InferOutput<typeof VerdictLine>;

export interface ToolCounts {
  readonly tool: string;
  /** Calls that both sides answered. */
  readonly calls: number;
  readonly distinctInputs: number;
  /** Distinct inputs that the control answered with a result and the candidate answered at all. */
  readonly succeeded: number;
  /** Distinct inputs that differed. */
  readonly mismatches: number;
  readonly control: AnswerCounts;
  readonly candidate: AnswerCounts;
}

interface Counted {
  calls: number;
  readonly inputs: Map<number, { succeeded: boolean; differed: boolean }>;
  readonly control: Record<AnswerKind, number>;
  readonly candidate: Record<AnswerKind, number>;
}

export class VerdictTable {
  readonly #candidates = new Map<string, Map<string, Counted>>();

  add({ group, tool, input, candidate, verdict, control, answer }: VerdictLine): void {
    if (!tool) return;
    const counted = this.#of(candidate, group);
    if (control !== null) counted.control[control] += 1;
    if (answer !== null) counted.candidate[answer] += 1;
    // What could not be asked was not compared, and must not lower a bound.
    if (verdict === 'harness_error') return;
    counted.calls += 1;
    const known = counted.inputs.get(input) ?? { succeeded: false, differed: false };
    known.succeeded ||= control === 'result';
    known.differed ||= verdict === 'mismatch';
    counted.inputs.set(input, known);
  }

  tools(candidate: string): readonly ToolCounts[] {
    return [...(this.#candidates.get(candidate) ?? [])].map(([tool, counted]) => {
      const inputs = [...counted.inputs.values()];
      return {
        tool,
        calls: counted.calls,
        distinctInputs: inputs.length,
        succeeded: inputs.filter(({ succeeded }) => succeeded).length,
        mismatches: inputs.filter(({ differed }) => differed).length,
        control: counted.control,
        candidate: counted.candidate,
      };
    });
  }

  #of(candidate: string, tool: string): Counted {
    const tools = this.#candidates.get(candidate) ?? new Map<string, Counted>();
    this.#candidates.set(candidate, tools);
    const made = tools.get(tool) ?? {
      calls: 0,
      inputs: new Map(),
      control: { ...NO_ANSWERS },
      candidate: { ...NO_ANSWERS },
    };
    tools.set(tool, made);
    return made;
  }
}
