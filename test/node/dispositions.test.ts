/** Every known divergence has a disposition, every disposition a test that runs, and docs/parity.md says what the data says. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'vitest';
import { parityDocument } from '../../scripts/parity-table.ts';
import { GROUPS } from '../dispositions/index.ts';
import type { Disposition, Sides } from '../dispositions/types.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const entries: readonly Disposition[] = GROUPS.flatMap(({ entries }) => entries);
const proofs = entries.flatMap(({ id, proof }) =>
  proof.flatMap(({ file, tests }) => tests.map((test) => ({ id, file, test }))),
);

/** How many entries each group has, as literals: neither the data nor its index can lose one unseen. */
const COUNTS: Readonly<Record<string, number>> = { A: 20, B: 23, C: 21, D: 11, E: 13, F: 13, G: 12, H: 10 };

/** A table of cases is a proof only while a test file runs every case of it. */
const TABLES: Readonly<Record<string, { runner: string; runs: RegExp }>> = {
  'test/contract/cases.ts': {
    runner: 'test/contract/contract.test.ts',
    runs: /cases: CASES,[\s\S]*for \(const \{ name, run \} of tests\) it\(name, run\)/,
  },
};

/** The title as the source spells it: in any of the three quotes. */
function hasTitle(source: string, title: string): boolean {
  const quoted = [`'${title.replaceAll("'", String.raw`\'`)}'`, `"${title}"`, `\`${title}\``];
  return quoted.some((text) => source.includes(text));
}
const sidesOf = (entry: Disposition): readonly Sides[] =>
  entry.disposition === 'documented' ? [entry.plain, entry.ours] : [entry.plain];

describe('dispositions', () => {
  it.for(GROUPS.map((group) => [group.letter, group] as const))(
    'group %s is complete',
    ([letter, group], { expect }) => {
      const ids = Array.from({ length: COUNTS[letter] ?? 0 }, (_, index) => `${letter}${index + 1}`);
      expect(ids.length).toBeGreaterThan(0);
      expect(group.entries.map(({ id }) => id)).toEqual(ids);
      expect(group.count).toBe(ids.length);
    },
  );

  it('no group is missing', ({ expect }) => {
    expect(GROUPS.map(({ letter }) => letter)).toEqual(['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H']);
  });

  it('every text is said', ({ expect }) => {
    const empty = entries.filter((entry) => {
      const texts = [
        entry.title,
        ...sidesOf(entry).flatMap(({ legacy, compat, modern }) => [legacy, compat, modern]),
        ...(entry.disposition === 'documented' ? [entry.reference, entry.why] : [entry.now]),
      ];
      return texts.some((text) => text.trim() === '');
    });
    expect(empty.map(({ id }) => id)).toEqual([]);
  });

  it('a documented difference is one: between the lanes, or from the plain packages', ({ expect }) => {
    const same = entries.filter((entry) => {
      if (entry.disposition !== 'documented') return false;
      const { ours, plain } = entry;
      const lanesAgree = ours.legacy === ours.compat && ours.compat === ours.modern;
      return lanesAgree && ours.legacy === plain.legacy && ours.compat === plain.compat && ours.modern === plain.modern;
    });
    expect(same.map(({ id }) => id)).toEqual([]);
  });

  it('every disposition has a proof', ({ expect }) => {
    expect(entries.filter(({ proof }) => proof.every(({ tests }) => tests.length === 0)).map(({ id }) => id)).toEqual(
      [],
    );
    expect(proofs.length).toBeGreaterThanOrEqual(entries.length);
  });

  it('every proof is a test of that name, on legacy as elsewhere', ({ expect }) => {
    expect(proofs.filter(({ file, test }) => !existsSync(join(ROOT, file)) || !hasTitle(read(file), test))).toEqual([]);
  });

  it('every proof is run: in a suite, or as a table that a suite walks', ({ expect }) => {
    const stray = [...new Set(proofs.map(({ file }) => file))].filter((file) => {
      if (/^test\/(workerd|contract|node|e2e)\/.*\.test\.ts$/.test(file)) return false;
      const table = TABLES[file];
      return table === undefined || !table.runs.test(read(table.runner));
    });
    expect(stray).toEqual([]);
  });

  it('no file of a proof skips or singles out anything, on legacy as elsewhere', ({ expect }) => {
    const files = new Set([...proofs.map(({ file }) => file), ...Object.values(TABLES).map(({ runner }) => runner)]);
    expect(files.size).toBeGreaterThan(5);
    const skipping = [...files].filter((file) =>
      /\b(it|test|describe)(\.\w+)*\.(skip|skipIf|runIf|todo|only|fails)\b|\bcontext\.skip\(/.test(read(file)),
    );
    expect(skipping).toEqual([]);
  });

  it('docs/parity.md says what the data says (npm run docs writes it)', ({ expect }) => {
    const document = read('docs/parity.md');
    expect(parityDocument(document)).toBe(document);
  });
});
