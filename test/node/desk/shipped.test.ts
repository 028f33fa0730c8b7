/**
 * What the tests run on is what ships: the desk of the tests is the shipped Worker, with the legacy half. Once that has been
 * retired from the shipped one, they differ by the lines that the runbook's last step takes away, and by nothing else.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, type TomlTable } from 'smol-toml';
import { describe, it } from 'vitest';
import { PROJECT_ROOT } from '../../../scripts/lib/wrangler.ts';

const read = (file: string): string => readFileSync(path.join(PROJECT_ROOT, file), 'utf8');

/** The code without what it says of itself, and with the paths of the other folder. */
const codeOf = (file: string): readonly string[] =>
  read(file)
    .replace(/^\/\*\*.*?\*\/\n/s, '')
    .replaceAll("'../../examples/desk/", "'./")
    .split('\n');
const withoutLegacy = (lines: readonly string[]): readonly string[] => lines.filter((line) => !/legacy/i.test(line));

interface Configuration extends TomlTable {
  migrations: { tag: string; deleted_classes?: string[] }[];
  durable_objects: { bindings: { name: string }[] };
}
const configurationOf = (file: string): Configuration => {
  const { main, ...configuration } = parse(read(file)) as Configuration;
  if (typeof main !== 'string') throw new TypeError(`${file} names no main module`);
  return configuration;
};

describe('the desk of the tests', () => {
  const shipped = codeOf('examples/desk/worker.ts');
  const tested = codeOf('test/desk/worker.ts');
  const isRetired = withoutLegacy(shipped).length === shipped.length;

  it('has the code of the shipped Worker', ({ expect }) => {
    expect(tested.length).toBeGreaterThan(10);
    expect(shipped).toEqual(isRetired ? withoutLegacy(tested) : tested);
  });

  it('has the configuration of the shipped Worker', ({ expect }) => {
    const ours = configurationOf('test/desk/wrangler.toml');
    const theirs = configurationOf('wrangler.toml');
    expect(ours.migrations.length).toBeGreaterThan(1);
    expect(ours.durable_objects.bindings.length).toBeGreaterThan(3);
    expect(theirs.migrations.slice(0, ours.migrations.length)).toEqual(ours.migrations);
    const retiring = theirs.migrations.slice(ours.migrations.length);
    expect(retiring.map(({ deleted_classes }) => deleted_classes)).toEqual(isRetired ? [['LegacyAgent']] : []);
    const bindings = ours.durable_objects.bindings.filter(({ name }) => !isRetired || name !== 'LEGACY_AGENT');
    expect({ ...theirs, migrations: [] }).toEqual({ ...ours, migrations: [], durable_objects: { bindings } });
  });
});
