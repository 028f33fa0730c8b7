/** Every group of dispositions, in the order of docs/parity.md. A group lives in its own file: `group-<letter>.ts`. */
import { GROUP_D } from './group-d.ts';
import type { DispositionGroup } from './types.ts';

export const GROUPS: readonly DispositionGroup[] = [
  // { letter: 'A', title: 'Schema listing', count: 20, entries: GROUP_A },
  { letter: 'D', title: 'Sessions and state', count: 11, entries: GROUP_D },
];
