/** What the documents claim and a test can see: their links lead somewhere, their commands exist, their files are there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
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

  it('say which name the Workers integration of vitest has now', ({ expect }) => {
    expect(read('README.md').replaceAll(/\s+/g, ' ')).toContain(
      '`@cloudflare/vitest-plugin`, the new name that its makers gave to `@cloudflare/vitest-pool-workers`',
    );
  });
});
