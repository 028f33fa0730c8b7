/** The results as a table that a terminal and a Markdown page both show. Pure. */
import type { Cell, Side } from './report.ts';

const HEAD = ['operation', 'tools', 'floor', 'plain', 'ours', 'ratio', '95 %', 'CPU ratio', 'target', ''] as const;

/** Cost tables carry milliseconds as "median (quartiles)", throughput tables operations a second. */
export function renderCells(cells: readonly Cell[]): string {
  return (['cost', 'throughput'] as const)
    .map((measures) => {
      const rows = cells.filter((cell) => cell.measures === measures);
      if (rows.length === 0) return '';
      const title =
        measures === 'cost'
          ? '1 connection, milliseconds: median (quartiles); ratio of the costs above the floor, plain ÷ ours'
          : '16 connections, operations a second; ratio of the throughputs, ours ÷ plain';
      return `${title}\n\n${table([HEAD, ...rows.map(rowOf)])}\n`;
    })
    .filter((text) => text !== '')
    .join('\n');
}

function rowOf(cell: Cell): readonly string[] {
  const value = (side: Side): string => {
    const { ms, perSecond } = cell.sides[side];
    return cell.measures === 'cost'
      ? `${ms.median.toFixed(2)} (${ms.p25.toFixed(2)}–${ms.p75.toFixed(2)})`
      : perSecond.toFixed(0);
  };
  return [
    cell.operation,
    String(cell.tools),
    value('floor'),
    value('plain'),
    value('ours'),
    cell.ratio.value.toFixed(2),
    `${cell.ratio.low.toFixed(2)}–${cell.ratio.high.toFixed(2)}`,
    cell.cpuRatio.toFixed(2),
    `≥ ${cell.target}`,
    cell.holds ? 'holds' : 'MISSED',
  ];
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...rest] = rows;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rest.map(line)].join('\n');
}
