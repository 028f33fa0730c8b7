/**
 * `npm run docs`: writes the tables of docs/parity.md from the dispositions, between two markers. What stands around
 * the markers is written by hand and stays.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { GROUPS } from '../test/dispositions/index.ts';
import type { Disposition, DispositionGroup, Sides } from '../test/dispositions/types.ts';

const START = '<!-- dispositions: start (npm run docs) -->';
const END = '<!-- dispositions: end -->';

/**
 * The document with its tables as the data has them.
 * @throws TypeError where the markers are not there, once each and in order.
 */
export function parityDocument(document: string): string {
  const [before, rest, ...more] = document.split(START);
  const [, after, ...others] = (rest ?? '').split(END);
  if (before === undefined || after === undefined || more.length + others.length > 0) {
    throw new TypeError(`docs/parity.md needs "${START}" and "${END}", once each. Put them back.`);
  }
  return `${before}${START}\n\n${[summary(), ...GROUPS.map(section)].join('\n\n')}\n\n${END}${after}`;
}

const KINDS = ['identical', 'refused', 'documented'] as const satisfies readonly Disposition['disposition'][];

function summary(): string {
  const rows = GROUPS.map(({ letter, title, entries }) => [
    `${letter}. ${title}`,
    ...KINDS.map((kind) => String(entries.filter(({ disposition }) => disposition === kind).length)),
  ]);
  return table(['Group', 'Identical', 'Refused', 'Documented'], rows);
}

function section({ letter, title, entries }: DispositionGroup): string {
  const rows = entries.map((entry) => [
    entry.id,
    entry.title,
    sides(entry.plain),
    `**${entry.disposition}**. ${outcome(entry)}`,
    proofs(entry),
  ]);
  const head = ['Id', 'What differs', 'Plain packages', 'Here', 'Shown by'];
  return `### ${letter}. ${title}\n\n${table(head, rows)}`;
}

function outcome(entry: Disposition): string {
  if (entry.disposition !== 'documented') return entry.now;
  return `${sides(entry.ours)}<br>${entry.why}<br>Reference: ${entry.reference}`;
}

/** Lanes that do the same are named together. */
function sides({ legacy, compat, modern }: Sides): string {
  if (legacy === compat && compat === modern) return `all: ${legacy}`;
  if (compat === modern) return `legacy: ${legacy}<br>compat, modern: ${compat}`;
  if (legacy === compat) return `legacy, compat: ${legacy}<br>modern: ${modern}`;
  return `legacy: ${legacy}<br>compat: ${compat}<br>modern: ${modern}`;
}

const proofs = ({ proof }: Disposition): string =>
  proof.map(({ file }) => `[${path.posix.basename(file)}](../${file})`).join('<br>');

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

async function main(): Promise<void> {
  const file = path.join(import.meta.dirname, '../docs/parity.md');
  const document = await readFile(file, 'utf8');
  const next = parityDocument(document);
  if (next !== document) await writeFile(file, next);
  console.log(next === document ? 'docs/parity.md is as the data has it' : 'wrote docs/parity.md');
}

if (process.argv[1] === import.meta.filename) await main();
