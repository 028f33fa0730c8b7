/**
 * The example servers of one's own: one line is changed in each, and nothing that its callers see. The whole comparison is
 * `npm run prove:own-agent`.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'vitest';
import { compareExample, EXAMPLES } from '../../scripts/lib/own-agent-examples.ts';
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

  it('answers each of two callers on every lane as the plain server does', { timeout: 180_000 }, async ({ expect }) => {
    const example = EXAMPLES.find(({ name }) => name === 'signed-in');
    if (example === undefined) throw new Error('The example with a sign-in is not there');
    const folder = await mkdtemp(path.join(tmpdir(), 'own-agent-'));
    try {
      const rows = await compareExample(example, { cases: 4, folder });
      expect(rows.map(({ caller, lane }) => `${caller} ${lane}`)).toEqual([
        'ann:admin wrapped',
        'ann:admin compat',
        'ann:admin modern',
        'bob:reader wrapped',
        'bob:reader compat',
        'bob:reader modern',
      ]);
      for (const row of rows) {
        expect({ ...row, output: row.code === 0 ? '' : row.output }).toMatchObject({
          code: 0,
          differences: 0,
          output: '',
        });
        expect(row.calls).toBeGreaterThan(5);
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
