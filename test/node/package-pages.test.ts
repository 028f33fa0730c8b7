/** Which links of a page survive when it is packed without what they lead to. */
import { describe, it } from 'vitest';
import { withLinksTo } from '../../scripts/lib/package-pages.ts';

const PAGES = ['README.md', 'docs/state.md', 'docs/runbook.md'];

describe('a link of a packed page', () => {
  it.for([
    ['README.md', 'see [the state](docs/state.md)', 'see [the state](docs/state.md)'],
    [
      'README.md',
      'see [`src/index.ts`](src/index.ts), [both](docs/state.md)',
      'see `src/index.ts`, [both](docs/state.md)',
    ],
    [
      'docs/state.md',
      '[runbook.md](runbook.md#step-1) and [home](../README.md)',
      '[runbook.md](runbook.md#step-1) and [home](../README.md)',
    ],
    ['docs/state.md', '[a test](../test/node/docs.test.ts)', 'a test'],
    [
      'docs/state.md',
      '[below](#below), [spec](https://example.com/a)',
      '[below](#below), [spec](https://example.com/a)',
    ],
  ] as const)('of %s: %s', ([page, text, packed], { expect }) => {
    expect(withLinksTo(PAGES, page, text)).toBe(packed);
  });
});
