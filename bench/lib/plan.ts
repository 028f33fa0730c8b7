/** What a full and a short run measure. Pure. */
import type { Plan } from './measure.ts';
import { OPERATIONS, type Operation } from './wire.ts';

export interface Scope {
  readonly sizes: readonly number[];
  readonly operations: readonly Operation[];
  readonly plans: (operation: Operation, tools: number) => readonly Plan[];
}

/** A session with its first call takes as long as a dozen calls in an open one. */
const isLong = (operation: Operation): boolean => operation.endsWith('initialize + call');

const isList = (operation: Operation): boolean => operation.endsWith('list');

/** So long that both are compiled as they are in an isolate that has been up for a while. */
const WARMUP_CALLS = 1_000;

export const FULL: Scope = {
  sizes: [1, 10, 50, 200],
  operations: OPERATIONS,
  plans: (operation, tools) => [
    isLong(operation)
      ? { tools, concurrency: 1, rounds: 40, batch: 5, warmup: 40 }
      : {
          tools,
          concurrency: 1,
          // A list takes long enough to scatter less.
          rounds: isList(operation) ? 40 : 120,
          batch: 15,
          warmup: isList(operation) ? 250 : WARMUP_CALLS,
        },
    isLong(operation)
      ? { tools, concurrency: 16, rounds: 40, batch: 32, warmup: 32 }
      : { tools, concurrency: 16, rounds: isList(operation) ? 15 : 40, batch: 96, warmup: 192 },
  ],
};

export const SHORT: Scope = {
  sizes: [50],
  operations: [
    'modern tools/call',
    'modern tools/list',
    'compat tools/call',
    'legacy tools/call',
    'wrapped tools/call',
    'hosted tools/call',
  ],
  plans: (_operation, tools) => [{ tools, concurrency: 1, rounds: 8, batch: 8, warmup: 60 }],
};
