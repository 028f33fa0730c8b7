/** Everything that the package exports says what it is, every value shows how it is used, and what it shows compiles. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, it } from 'vitest';
import { PROJECT_ROOT } from '../../scripts/lib/wrangler.ts';
import { publicSurface, type Exported } from './support/public-surface.ts';

const run = promisify(execFile);
const surface = publicSurface();
const values = surface.filter(({ isType }) => !isType);
const nameOf = ({ entry, name }: Exported): string => `${entry} ${name}`;

const examplesOf = ({ doc = '' }: Exported): string[] =>
  [...doc.replaceAll(/^ \* ?/gm, '').matchAll(/```ts\n([^]*?)```/g)].map(([, text = '']) => text);

/** What an example may name without making it: what a project has anyway. */
const GIVEN: Readonly<Record<string, string>> = {
  z: "import { z } from 'zod';",
  catalogue: "declare const catalogue: import('hybrid-mcp').Catalogue;",
  add: "declare const add: import('hybrid-mcp').AnyTool;",
  carry: "declare const carry: import('hybrid-mcp/port').Carry;",
  OwnMCP: "import { OwnMCP } from './own.ts';",
  State: 'interface State { readonly count: number }',
  Props: 'type Props = Record<string, unknown>;',
};
const OWN = `import { McpAgent } from 'agents/mcp';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export class OwnMCP extends McpAgent {
  server = new McpServer({ name: 'own', version: '1.0.0' });
  override async init(): Promise<void> {}
}
`;

/** The example as a module: what it uses of the package is imported, unless it does so itself. */
function moduleOf(text: string, entry: string): string {
  const uses = (name: string): boolean => new RegExp(`(?<![.'/\\w])${name}\\b(?!:)`).test(text);
  const makes = (name: string): boolean =>
    new RegExp(`\\b(?:const|class|interface|function) ${name}\\b|import \\{[^}]*\\b${name}\\b`).test(text);
  const own = surface.toSorted((one, other) => Number(other.entry === entry) - Number(one.entry === entry));
  const imported = new Map(own.toReversed().map((exported) => [exported.name, exported] as const));
  const imports = [...imported.values()]
    .filter(({ name }) => uses(name) && !makes(name))
    .map(({ name, entry: from, isType }) => `import ${isType ? 'type ' : ''}{ ${name} } from '${from}';`);
  const given = Object.entries(GIVEN).filter(([name]) => uses(name) && !makes(name) && !imported.has(name));
  return `${[...imports, ...given.map(([, line]) => line)].join('\n')}\n${text}\nexport {};\n`;
}

describe('the public surface', () => {
  it('is seen whole', ({ expect }) => {
    expect(surface.length).toBeGreaterThan(100);
    expect(values.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['createHybrid', 'defineTool', 'legacyLane', 'McpAgent', 'laneTests']),
    );
  });

  it('has a docstring on every name', ({ expect }) => {
    expect(surface.filter(({ doc }) => (doc ?? '').trim() === '').map(nameOf)).toEqual([]);
  });

  it('has an example on every value', ({ expect }) => {
    expect(values.filter((value) => examplesOf(value).length === 0).map(nameOf)).toEqual([]);
  });

  it('shows examples that compile', { timeout: 60_000 }, async ({ expect }) => {
    await mkdir(path.join(PROJECT_ROOT, '.wrangler'), { recursive: true });
    const folder = await mkdtemp(path.join(PROJECT_ROOT, '.wrangler/examples-'));
    try {
      const examples = values.flatMap((value) => examplesOf(value).map((text) => ({ value, text })));
      expect(examples.length).toBeGreaterThan(20);
      for (const [at, { value, text }] of examples.entries()) {
        await writeFile(path.join(folder, `${value.name}-${at}.ts`), moduleOf(text, value.entry));
      }
      await writeFile(path.join(folder, 'own.ts'), OWN);
      const include = [folder, path.join(PROJECT_ROOT, 'worker-configuration.d.ts')];
      const compilerOptions = { incremental: false, types: [] };
      const config = { extends: path.join(PROJECT_ROOT, 'tsconfig.worker.json'), compilerOptions, include };
      await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify(config));
      const tsc = path.join(PROJECT_ROOT, 'node_modules/.bin/tsc');
      const { stdout } = await run(tsc, ['--project', folder], { cwd: folder }).catch(
        (error: unknown) => error as { readonly stdout: string },
      );
      expect(stdout).toBe('');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
