/**
 * Every Worker of this repository uses the package as any other project does: by what `exports` names. Read from the
 * sources, so that a Worker cannot reach into `src` for a thing that users cannot have.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const { exports: entries } = JSON.parse(read('package.json')) as { exports: Record<string, string> };

/** The Workers: what a Wrangler configuration names as its main module, and the Workers of the benchmark. */
const configurations = globSync(['wrangler.toml', '{bench,examples,test}/**/*.toml'], { cwd: ROOT });
const workers = [
  ...configurations.flatMap((file) =>
    [...read(file).matchAll(/^main = "(.+)"$/gm)].map(([, main = '']) => join(dirname(file), main)),
  ),
  ...globSync('bench/workers/*.ts', { cwd: ROOT }),
  ...globSync('docs/examples/**/*.ts', { cwd: ROOT }),
  ...globSync('examples/sign-in/**/worker.ts', { cwd: ROOT }),
];

const importsOf = (file: string): string[] =>
  [...read(file).matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g)].map(([, specifier = '']) =>
    specifier.startsWith('.') ? relative(ROOT, resolve(ROOT, dirname(file), specifier)) : specifier,
  );

/** A Worker's own files: everything that it reaches by relative imports. */
function filesOf(worker: string): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [worker];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    // What lies in `src` belongs to the package: one step into it is the finding, and what follows from it is not.
    if (!isInternal(file)) open.push(...importsOf(file).filter((target) => target.endsWith('.ts')));
  }
  return found;
}
const isInternal = (file: string): boolean => file.startsWith('src/');

describe('the entry points of the package', () => {
  it('are files', ({ expect }) => {
    expect(Object.keys(entries).length).toBeGreaterThan(3);
    expect(Object.entries(entries).filter(([, file]) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it('are all that the Workers of this repository use of it', ({ expect }) => {
    expect(configurations.length).toBeGreaterThan(4);
    const files = [...new Set(workers.flatMap((worker) => [...filesOf(worker)]))];
    const used = files.flatMap(importsOf).filter((target) => /^hybrid-mcp(\/|$)/.test(target));
    expect(used.length).toBeGreaterThan(20);
    expect(files.filter(isInternal)).toEqual([]);
    expect(used.filter((target) => !(target.replace('hybrid-mcp', '.') in entries))).toEqual([]);
  });
});
