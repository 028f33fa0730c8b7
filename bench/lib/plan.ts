/** What a full and a short run measure. Pure. */
import type { Plan } from './measure.ts';
import { OPERATIONS, type Operation } from './wire.ts';

export interface Scope {
  readonly sizes: readonly number[];
  readonly operations: readonly Operation[];
  readonly plans: (operation: Operation, tools: number) => readonly Plan[];
}

/** A session with its first call takes as long as a dozen calls in an open one. */
const isLong = (operation: Operation): boolean => operation === 'legacy initialize + call';

export const FULL: Scope = {
  sizes: [1, 10, 50, 200],
  operations: OPERATIONS,
  plans: (operation, tools) => [
    { tools, concurrency: 1, rounds: 40, batch: isLong(operation) ? 5 : 15, warmup: isLong(operation) ? 40 : 250 },
    // Sixteen at once scatter more, except where one takes long enough by itself.
    {
      tools,
      concurrency: 16,
      rounds: operation.endsWith('list') ? 15 : 40,
      batch: isLong(operation) ? 32 : 96,
      warmup: isLong(operation) ? 32 : 192,
    },
  ],
};

export const SHORT: Scope = {
  sizes: [50],
  operations: ['modern tools/call', 'modern tools/list', 'compat tools/call', 'legacy tools/call'],
  plans: (_operation, tools) => [{ tools, concurrency: 1, rounds: 8, batch: 8, warmup: 60 }],
};
