/** Plain tables, and text of others made harmless for a terminal. Pure. */

const LONGEST_CELL = 80;

/**
 * Columns as wide as they need to be; no row, no table.
 * @param longest Longer cells are cut.
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  longest: number = LONGEST_CELL,
): string {
  const all = [head, ...rows].map((row) => row.map((cell) => shown(cell, longest)));
  const widths = head.map((_title, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  const [titles = [], ...body] = all;
  return [line(titles), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}

const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
/** Two blanks divide columns. */
const BLANKS = /\p{Zs}+/gu;

/** Names come from clients: nothing in them may act on the terminal or look like another column. */
export function shown(text: string, longest: number = LONGEST_CELL): string {
  const plain = text.replaceAll(UNSEEN, '').replaceAll(BLANKS, ' ');
  return plain.length > longest ? `${plain.slice(0, longest - 1)}…` : plain;
}

export const when = (at: number | null): string =>
  at === null ? 'never' : `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** Who signed in, and what they call themselves. */
export const byText = ({ who, said }: { readonly who: string; readonly said?: string | undefined }): string =>
  said === undefined ? shown(who) : `${shown(said)} (${shown(who)})`;
