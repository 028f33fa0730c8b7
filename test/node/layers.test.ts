/** The layering, read from the sources, so that a lint rule that is switched off does not switch off the layers. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const SRC = join(ROOT, 'src');

interface Import {
  readonly file: string;
  /** `src/…` for a file of ours, the bare specifier otherwise. */
  readonly target: string;
}

const sourcesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
const files = sourcesIn(SRC);
const commands = sourcesIn(join(ROOT, 'cli/cutover'));

const imports: readonly Import[] = files.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g)].map(([, specifier = '']) => ({
    file: relative(ROOT, file),
    target: specifier.startsWith('.') ? relative(ROOT, resolve(dirname(file), specifier)) : specifier,
  })),
);

const layerOf = (path: string): string => path.split('/')[1] ?? '';
const isOurs = (target: string): boolean => target.startsWith('src/');
const isSdk = (target: string): boolean => /^(@modelcontextprotocol\/|agents(\/|$))/.test(target);

/** Which layers each layer may import, beside itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'index.ts': ['hybrid', 'define.ts', 'router', 'shared'],
  'define.ts': ['shared'],
  agent: ['hosted', 'legacy', 'stateless', 'cutover', 'state', 'shared'],
  hosted: ['router', 'cutover', 'lane', 'state', 'shared'],
  hybrid: ['router', 'stateless', 'cutover', 'state', 'lane', 'shared'],
  'sign-in': ['router', 'cutover', 'state', 'shared'],
  router: ['cutover', 'lane', 'state', 'parity', 'shared'],
  legacy: ['lane', 'state', 'parity', 'shared'],
  stateless: ['lane', 'state', 'parity', 'shared'],
  contract: ['parity', 'shared'],
  port: ['shared'],
  webmcp: [],
  'webmcp-files': [],
  lane: ['shared'],
  cutover: ['state', 'parity', 'shared'],
  state: ['shared'],
  parity: ['shared'],
  shared: [],
};

describe('layers', () => {
  it('finds the sources and their imports', ({ expect }) => {
    expect(files.length).toBeGreaterThan(30);
    expect(imports.length).toBeGreaterThan(100);
    expect(
      [...new Set(files.map((file) => layerOf(relative(ROOT, file))))].filter((layer) => !(layer in MAY_IMPORT)),
    ).toEqual([]);
  });

  it('are what docs/architecture.md says', ({ expect }) => {
    const rows = [
      ...readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8').matchAll(/^\| `src\/(\S+)` \| .* \| (.*) \|$/gm),
    ];
    const told = rows.map(([, layer = '', may = '']) => [layer, [...may.matchAll(/`([^`]+)`/g)].map(([, one]) => one)]);
    expect(Object.fromEntries(told)).toEqual(MAY_IMPORT);
  });

  it('import one way', ({ expect }) => {
    const wrong = imports.filter(({ file, target }) => {
      if (!isOurs(target)) return false;
      const [from, to] = [layerOf(file), layerOf(target)];
      return from !== to && !(MAY_IMPORT[from] ?? []).includes(to);
    });
    expect(wrong).toEqual([]);
  });

  it('have no circle, of types either', ({ expect }) => {
    const targets = Map.groupBy(
      imports.filter(({ target }) => isOurs(target)),
      ({ file }) => file,
    );
    const circles: string[] = [];
    const done = new Set<string>();
    const visit = (file: string, path: readonly string[]): void => {
      const at = path.indexOf(file);
      if (at !== -1) circles.push([...path.slice(at), file].join(' > '));
      if (at !== -1 || done.has(file)) return;
      for (const { target } of targets.get(file) ?? []) visit(target, [...path, file]);
      done.add(file);
    };
    for (const file of targets.keys()) visit(file, []);
    expect(done.size).toBeGreaterThan(100);
    expect(circles).toEqual([]);
  });

  it.for([
    ["the package's name for a session's agent", /['`]streamable-http:/, ['src/state/transfer.ts']],
    ['the prefix of the variables of a route', /'LEGACY_SSE_ROUTE'/, ['src/cutover/stage.ts']],
    ['the last stages', /legacy: 'gone'/, ['src/cutover/stage.ts']],
  ] as const)('have %s in one place', ([, fact, places], { expect }) => {
    const having = [...files, ...commands].filter((file) => fact.test(readFileSync(file, 'utf8')));
    expect(having.map((file) => relative(ROOT, file))).toEqual(places);
  });

  it('keep each SDK in its own lane', ({ expect }) => {
    const sdk = imports.filter(({ target }) => isSdk(target));
    expect(sdk.length).toBeGreaterThan(3);
    const v1 = sdk.filter(
      ({ target }) => /^@modelcontextprotocol\/sdk(\/|$)/.test(target) || /^agents(\/mcp)?$/.test(target),
    );
    const v2 = sdk.filter(
      ({ target }) => /^@modelcontextprotocol\/server(\/|$)/.test(target) || target === 'agents/mcp/server',
    );
    const clients = sdk.filter(({ target }) => target === '@modelcontextprotocol/client');
    expect(v1.length + v2.length + clients.length).toBe(sdk.length);
    expect([...new Set(clients.map(({ file }) => layerOf(file)))]).toEqual(['webmcp']);
    // The class that stands in for the package's own is of both.
    expect(v1.filter(({ file }) => !['legacy', 'agent'].includes(layerOf(file)))).toEqual([]);
    expect(v2.filter(({ file }) => layerOf(file) !== 'stateless')).toEqual([]);
  });

  it('keep the platform out of what must be pure', ({ expect }) => {
    const pure = imports.filter(({ file }) => ['shared', 'parity'].includes(layerOf(file)));
    expect(pure.length).toBeGreaterThan(20);
    expect(pure.filter(({ target }) => /^(cloudflare:|node:)/.test(target))).toEqual([]);
    const platform = files
      .filter((file) => ['shared', 'parity'].includes(layerOf(relative(ROOT, file))))
      .filter((file) =>
        /\b(DurableObject|ExecutionContext|KVNamespace|WebSocketPair|caches\.)/.test(
          readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, ''),
        ),
      );
    expect(platform.map((file) => relative(ROOT, file))).toEqual([]);
  });

  it('stay within 300 lines a file', ({ expect }) => {
    const long = files.filter((file) => readFileSync(file, 'utf8').split('\n').length > 300);
    expect(long.map((file) => relative(ROOT, file))).toEqual([]);
  });
});
