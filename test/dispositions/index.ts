/** Every group of dispositions, in the order of docs/parity.md. A group lives in its own file: `group-<letter>.ts`. */
import { GROUP_A } from './group-a.ts';
import { GROUP_B } from './group-b.ts';
import { GROUP_C } from './group-c.ts';
import { GROUP_D } from './group-d.ts';
import { GROUP_E } from './group-e.ts';
import { GROUP_F } from './group-f.ts';
import { GROUP_G } from './group-g.ts';
import { GROUP_H } from './group-h.ts';
import type { DispositionGroup } from './types.ts';

export const GROUPS: readonly DispositionGroup[] = [
  { letter: 'A', title: 'Schema listing', count: 20, entries: GROUP_A },
  { letter: 'B', title: 'Results and errors', count: 23, entries: GROUP_B },
  { letter: 'C', title: 'Protocol, headers and versions', count: 21, entries: GROUP_C },
  { letter: 'D', title: 'Sessions and state', count: 11, entries: GROUP_D },
  { letter: 'E', title: 'Streams, notifications and questions', count: 13, entries: GROUP_E },
  { letter: 'F', title: 'Sign-in, CORS, Origin and Host', count: 13, entries: GROUP_F },
  { letter: 'G', title: 'Deployment and configuration', count: 12, entries: GROUP_G },
  { letter: 'H', title: 'Clients', count: 10, entries: GROUP_H },
];
