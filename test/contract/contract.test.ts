/** The contract, run by all three lanes over their real wires inside workerd, as the package offers it to any project. */
import { exports } from 'cloudflare:workers';
import { describe, it } from 'vitest';
import { laneTests } from 'hybrid-mcp/contract';
import { CASES } from './cases.ts';
import { KNOWN_DIFFERENCES } from './known-differences.ts';

const tests = laneTests({
  send: (request) => exports.default.fetch(request),
  cases: CASES,
  knownDifferences: KNOWN_DIFFERENCES,
  // What these do is more than one answer, and is tested in files of their own.
  uncalled: [
    'who',
    'wait',
    'ask',
    'tree',
    'burst',
    'linger',
    'inquire',
    'sample',
    'abilities',
    'torn',
    'count-of-subject',
    'count-of-handle',
    'count-of-session',
    'count-slowly',
    'ask-and-count',
    'count-late',
  ],
});

describe('contract', () => {
  for (const { name, run } of tests) it(name, run);

  it('has many cases', ({ expect }) => {
    expect(tests.length).toBeGreaterThan(150);
  });
});
