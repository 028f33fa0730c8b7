/** The last good stage of each route, in the operator's object: for an isolate that begins while the flags are unreadable. */
import { askOperator, type BrakeEnv } from './brake.ts';
import type { StageMemory } from './flags/flags.ts';
import type { RouteKey } from './stage.ts';

/** The part of the operator's object that is used here. */
export interface StageMemoryApi {
  lastStage(route: RouteKey): Promise<string | null>;
  keepStage(route: RouteKey, stage: string, readAt: number): Promise<void>;
}

/** Undefined if the deployment has no operator's object. */
export function stageMemory({ OPERATOR_OBJECT: namespace }: BrakeEnv): StageMemory | undefined {
  if (namespace === undefined) return undefined;
  return {
    recall: async (route) =>
      (await askOperator(namespace, (object) => (object as StageMemoryApi).lastStage(route))) ?? undefined,
    keep: (route, stage, readAt) =>
      askOperator(namespace, (object) => (object as StageMemoryApi).keepStage(route, stage, readAt)),
  };
}
