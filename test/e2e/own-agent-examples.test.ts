/** The example servers of one's own: one line is changed in each. `npm run prove:own-agent` compares what callers see. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'vitest';
import { EXAMPLES } from '../../scripts/lib/own-agent-examples.ts';
import { PROJECT_ROOT } from '../../scripts/lib/wrangler.ts';

const sourceOf = (name: string, side: 'before' | 'after'): Promise<string> =>
  readFile(path.join(PROJECT_ROOT, 'examples/own-agent', name, side, 'index.ts'), 'utf8');

describe('an example', () => {
  it.for(EXAMPLES)('$name is changed in the one line of its import', async ({ name }, { expect }) => {
    const before = (await sourceOf(name, 'before')).split('\n');
    const after = (await sourceOf(name, 'after')).split('\n');
    expect(after).toHaveLength(before.length);
    expect(before.flatMap((line, at) => (line === after[at] ? [] : [[line, after[at]]]))).toEqual([
      ["import { McpAgent } from 'agents/mcp';", "import { McpAgent } from 'hybrid-mcp/agent';"],
    ]);
  });

  it('is shown in docs/adopting.md as it is', async ({ expect }) => {
    const page = await readFile(path.join(PROJECT_ROOT, 'docs/adopting.md'), 'utf8');
    const [, shown] = /<!-- own-agent diff: begin[^>]*-->\n```diff\n([\s\S]*?)```/.exec(page) ?? [];
    expect(shown).toBe("-import { McpAgent } from 'agents/mcp';\n+import { McpAgent } from 'hybrid-mcp/agent';\n");
  });
});
