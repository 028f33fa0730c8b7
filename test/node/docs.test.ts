/** What the documents claim and a test can see: their links lead somewhere, their commands exist, their files are there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...readdirSync(join(ROOT, 'docs')).flatMap((file) => (file.endsWith('.md') ? [`docs/${file}`] : [])),
];
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

const found = (pattern: RegExp): (readonly [page: string, text: string])[] =>
  PAGES.flatMap((page) => [...read(page).matchAll(pattern)].map(([, text = '']) => [page, text] as const));

/** The anchors of a page, as they are made from its headings. */
const anchorsOf = (page: string): string[] =>
  [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );

describe('documents', () => {
  it('are there', ({ expect }) => {
    expect(PAGES.length).toBeGreaterThan(8);
  });

  it('link to what exists, in the legacy half as elsewhere', ({ expect }) => {
    const links = found(/\]\((?!https?:|mailto:)([^)\s]+)\)/g);
    expect(links.length).toBeGreaterThan(30);
    const broken = links.filter(([page, link]) => {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? page : join(dirname(page), file);
      if (!existsSync(join(ROOT, target))) return true;
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  it('name commands that exist', ({ expect }) => {
    const commands = found(/\bnpm run ([a-z][\w:-]*)/g);
    expect(commands.length).toBeGreaterThan(10);
    expect(commands.filter(([, name]) => !(name in scripts))).toEqual([]);
  });

  it('name files of the project that are there, of the legacy half as elsewhere', ({ expect }) => {
    const files = found(/`((?:src|test|docs|cli|scripts|bench)\/[\w./-]+\.(?:ts|md|json|toml|yml))`/g);
    expect(files.length).toBeGreaterThan(5);
    expect(files.filter(([, file]) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it('show the files of a project as they are, which the test of the packed package compiles and runs', ({
    expect,
  }) => {
    const shown = ['README.md', 'docs/own-tests.md', 'docs/porting.md'].flatMap((page) =>
      [...read(page).matchAll(/```(?:ts|js|jsonc)\n\/\/ (\S+)\n([^]*?)```/g)].map(([, file = '', text = '']) => ({
        page,
        file,
        text,
      })),
    );
    expect(shown.map(({ file }) => file).toSorted()).toEqual([
      'lanes.mjs',
      'own-agent.jsonc',
      'registered.jsonc',
      'src/carried-worker.ts',
      'src/own-agent.ts',
      'src/registered-agent.ts',
      'src/registered-tools.ts',
      'src/registered-worker.ts',
      'src/tools.ts',
      'src/worker.ts',
      'test/lanes.test.ts',
      'test/lanes.test.ts',
      'vitest.config.ts',
      'wrangler.jsonc',
    ]);
    expect(shown.filter(({ file, text }) => read(`test/package/consumer/${file}`) !== text)).toEqual([]);
    // Nothing of the README is shown that is not such a file.
    expect(read('README.md').match(/```(?:ts|js|jsonc?)\n/g)?.length).toBe(6);
  });

  it('name every entry point of the package, with its file', ({ expect }) => {
    const { exports } = JSON.parse(read('package.json')) as { exports: Record<string, string> };
    const entries = Object.entries(exports).filter(([, file]) => file.endsWith('.ts'));
    const rows = entries.map(([entry, file]) => `| \`${entry.replace('.', 'hybrid-mcp')}\` | [\`${file.slice(2)}\`]`);
    expect(rows.length).toBeGreaterThan(4);
    expect(rows.filter((row) => !read('README.md').includes(row))).toEqual([]);
  });

  it('say which name the Workers integration of vitest has now', ({ expect }) => {
    expect(read('README.md').replaceAll(/\s+/g, ' ')).toContain(
      '`@cloudflare/vitest-plugin`, the new name that its makers gave to `@cloudflare/vitest-pool-workers`',
    );
  });
});
