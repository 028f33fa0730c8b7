/** Whose time a profile's samples are. */
import { describe, it } from 'vitest';
import { ownersOf, sharesOf, type CpuProfile } from '../../../bench/lib/profile.ts';

const BUNDLE = [
  'var __defProp = Object.defineProperty;',
  '// node_modules/zod/v4/core/parse.js',
  'function parse() {}',
  '// node_modules/@modelcontextprotocol/sdk/dist/esm/types.js',
  'function types() {}',
  '// ../../src/router/door/door.ts',
  'function enter() {}',
  '// a comment about src/router/door',
].join('\n');

const node = (id: number, functionName: string, lineNumber: number, children: readonly number[] = []) => ({
  ...{ id, children },
  callFrame: { functionName, lineNumber },
});

describe('a CPU profile', () => {
  it('knows the owner of each line', ({ expect }) => {
    expect(ownersOf(BUNDLE)).toEqual([
      'other',
      'zod',
      'zod',
      '@modelcontextprotocol/sdk',
      '@modelcontextprotocol/sdk',
      'src/router',
      'src/router',
      'src/router',
    ]);
  });

  it('counts the runtime for its caller, names garbage collection, and leaves waiting out', ({ expect }) => {
    const profile: CpuProfile = {
      nodes: [
        node(1, '(root)', -1, [2, 3, 4, 5]),
        node(2, 'enter', 6, [6]),
        node(3, '(idle)', -1),
        node(4, '(garbage collector)', -1),
        node(5, '(program)', -1),
        node(6, 'Response', -1, [7]),
        node(7, 'parse', 2),
      ],
      samples: [2, 6, 7, 3, 4, 5, 6],
      timeDeltas: [10, 20, 5, 1_000, 7, 3, 1],
    };
    expect(sharesOf(profile, ownersOf(BUNDLE))).toEqual([
      { owner: 'src/router', us: 31 },
      { owner: 'garbage collection', us: 7 },
      { owner: 'zod', us: 5 },
      { owner: 'runtime', us: 3 },
    ]);
  });
});
