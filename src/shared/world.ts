/** The real world for a tool: web-standard clock, random numbers, ids and network. */
import type { World } from './define/context.ts';

export const systemWorld: World = {
  now: () => Date.now(),
  random: () => Math.random(),
  id: () => crypto.randomUUID(),
  fetch: (input, init) => fetch(input, init),
};
