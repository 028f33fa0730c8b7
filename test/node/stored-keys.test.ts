/** docs/stored-keys.md names everything under which the sources store something, and nothing else. */
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const page = readFileSync(resolve(ROOT, 'docs/stored-keys.md'), 'utf8');
const sources = globSync('src/{agent,cutover,hosted,hybrid,legacy,router,state,stateless}/**/*.ts', { cwd: ROOT }).map(
  (file) => readFileSync(resolve(ROOT, file), 'utf8').replaceAll(/^\s*(?:\/\*\*|\*|\/\/).*$/gm, ''),
);
const code = sources.join('\n');

/** The literal as the page has it: what is put in when the Worker runs is `…`, the common prefix is spelled out. */
const asOnPage = (literal: string): string =>
  literal.replaceAll('${KEY_PREFIX}', 'hybrid-mcp:').replaceAll(/\$\{[^}]+\}/g, '…');
const found = (pattern: RegExp): string[] => [
  ...new Set([...code.matchAll(pattern)].map(([, literal = '']) => asOnPage(literal))),
];

/** The constants that are read or written as keys, whatever they are called; `STORED` has the agents package's own. */
const CONSTANTS = [
  ...new Set(
    [
      ...code.matchAll(
        /(?:(?<!headers)\.(?:put|get)(?:<[^>]*>)?\(\s*(?:`\$\{)?|KeptValue(?:<[^>]*>)?\([^,]+,\s*)(?!STORED\b)([A-Z][A-Z_]+)\b/g,
      ),
    ].map(([, name = '']) => name),
  ),
];
const literalOf = (constant: string): string | undefined =>
  found(new RegExp(`\\b${constant} = ['\`]([^'\`]+)['\`]`, 'g'))[0];
const KEYS = CONSTANTS.map((constant) => {
  const literal = literalOf(constant) ?? `${constant} has no literal`;
  return literal.endsWith(':') ? `${literal}…` : literal;
});
const TABLES = found(/CREATE TABLE IF NOT EXISTS (\w+)/g);
const COLUMNS = found(/ADD COLUMN (\w+)/g);
const OBJECTS = [
  ...found(/\b(?:SECRET_OBJECT|OPERATOR_OBJECT_NAME) = '([^']+)'/g),
  ...found(/(?:getByName|agentName)\(`([^`]+)`\)/g),
  ...found(/`(streamable-http:[^`]+)`/g),
];
const HASHED = found(/`((?:\w+ )+of (?:\w+ )?\$\{[^`]+\}|bucket of \$\{[^`]+\})`/g);
const FLAGS = found(/'((?:legacy|mcp)(?:-sse)?-route)'/g);

describe('docs/stored-keys.md', () => {
  it.for([
    ['keys', KEYS, 10],
    ['tables', TABLES, 5],
    ['columns that were added', COLUMNS, 1],
    ['names of objects', OBJECTS, 6],
    ['texts that are hashed', HASHED, 4],
    ['flags', FLAGS, 3],
  ] as const)('knows the %s of the sources', ([, names, least], { expect }) => {
    expect(names.length).toBeGreaterThanOrEqual(least);
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it('names nothing that is in no source', ({ expect }) => {
    const rows = [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name = '']) => name);
    expect(rows.length).toBeGreaterThan(20);
    const known = new Set([...KEYS, ...TABLES, ...OBJECTS, ...HASHED, 'h_…']);
    expect(rows.filter((name) => !known.has(name))).toEqual([]);
  });

  it('sees every place that stores a value', ({ expect }) => {
    const puts = [...code.matchAll(/\.put(?:<[^>]*>)?\(\s*([^,]+),/g)].map(([, key = '']) => key);
    expect(puts.length).toBeGreaterThan(10);
    // A constant of this page, one of them with something after it, or a key that was made from one;
    // or one of the agents package's own keys.
    const isKnown = (key: string): boolean =>
      /^(?:`\$\{)?[A-Z_]+(?:_KEY|_PREFIX)\b|^(?:this\.#)?key$|^STORED\./.test(key);
    expect(puts.filter((key) => !isKnown(key))).toEqual([]);
  });
});
