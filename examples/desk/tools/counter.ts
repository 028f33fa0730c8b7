/** The tools `incrementCounter`, `getCounter` and `resetCounter`, and the state that they share. */
import { z } from 'zod';
import { defineState, defineStatefulTool, reply, type ToolReply } from 'hybrid-mcp/define';

const counterState = defineState({
  name: 'counter',
  schema: z.object({ value: z.int().min(0) }),
  initial: { value: 0 },
});

/** The last integer that JSON carries exactly to every client. */
const LAST = Number.MAX_SAFE_INTEGER;

const output = z.object({ value: z.int().min(0).describe('What the counter stands at after the call.') });
const shows = (value: number): ToolReply => reply.structured({ value });

export const incrementCounter = defineStatefulTool({
  name: 'incrementCounter',
  title: 'Count up',
  description: [
    'Adds to the counter that the handle names, and returns its new value. A new counter stands at 0. Each call',
    'counts once more, so do not repeat one that succeeded. To see the value without changing it use getCounter;',
    'for a plain sum use add.',
  ].join(' '),
  input: z.object({ by: z.int().min(1).max(1000).default(1).describe('How much to add. 1 where left out.') }),
  output,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  state: counterState,
  reduce: (state, { by }) => {
    const value = state.value + by;
    if (value > LAST) {
      const why = `The counter stands at ${state.value}, and adding ${by} would pass ${LAST}, the highest it can show.`;
      return { state, reply: reply.error(`${why} Add less, or start again with resetCounter.`) };
    }
    return { state: { value }, reply: shows(value) };
  },
});

export const getCounter = defineStatefulTool({
  name: 'getCounter',
  title: 'Read the counter',
  description: [
    'Returns the value of the counter that the handle names, and changes nothing. incrementCounter gives the',
    'handle. A new counter stands at 0.',
  ].join(' '),
  input: z.object({}),
  output,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  state: counterState,
  reduce: (state) => ({ state, reply: shows(state.value) }),
});

export const resetCounter = defineStatefulTool({
  name: 'resetCounter',
  title: 'Set the counter to 0',
  description: [
    'Sets the counter that the handle names back to 0, under the same handle. The old value is lost: read it with',
    'getCounter first if it is still needed.',
  ].join(' '),
  input: z.object({}),
  output,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  state: counterState,
  reduce: () => ({ state: { value: 0 }, reply: shows(0) }),
});
