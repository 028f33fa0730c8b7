/** What the main thread and the thread for schemas say to each other. */
import type { Surface } from '../../../src/parity/surface/listing.ts';
import type { Json, JsonObject } from '../../../src/shared/json.ts';
import type { ToolCases } from '../cases/generated.ts';
import type { Draw } from '../generate/inputs.ts';

export type Task =
  | { readonly task: 'compile'; readonly schema: unknown; readonly key: string }
  | { readonly task: 'validate'; readonly key: string; readonly value: Json }
  | {
      readonly task: 'generate';
      readonly tool: JsonObject;
      readonly surface: Surface;
      readonly draw: Draw;
    }
  | {
      readonly task: 'probe';
      readonly tool: JsonObject;
      readonly surface: Pick<Surface, 'resources'>;
      readonly draw: Draw;
      readonly round: number;
    };

export interface Results {
  readonly compile: { readonly ok: true } | { readonly ok: false; readonly why: string };
  /** The problem, or undefined for a valid value. */
  readonly validate: string | undefined;
  readonly generate: ToolCases;
  readonly probe: readonly Json[];
}

export interface Question {
  readonly id: number;
  readonly task: Task;
}

/** The id of what a thread says when it has started. */
export const READY = 0;

export type Reply =
  | { readonly id: number; readonly result: Results[keyof Results] }
  /** What was thrown; the stack of a thread is no use to the other one. */
  | { readonly id: number; readonly threw: string };
