/** The findings of a report in lines for people: the same finding of many tools is one line, and what breaks comes first. Pure. */
import { CHANGE_CLASSES } from '../../../src/parity/surface/listing.ts';
import type { RunReport, SurfaceReport } from '../run/report.ts';
import { shown } from './legible.ts';

const MOST_NAMES = 6;

export function namesText(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return `${names.slice(0, MOST_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function byKey<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly (readonly [Item, ...Item[]])[] {
  const groups = new Map<string, [Item, ...Item[]]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

/** What breaks clients first, then what fails the run, then the rest. */
export function surfaceLines({ surface }: RunReport): readonly string[] {
  const weight = ({ class: kind, fails }: SurfaceReport): number =>
    CHANGE_CLASSES.indexOf(kind) + (fails ? 0 : CHANGE_CLASSES.length);
  const kindOf = ({ where }: SurfaceReport): string =>
    /^(tool|prompt|resource template|resource) /.exec(where)?.[1] ?? where;
  const groups = byKey(
    surface.toSorted((left, right) => weight(left) - weight(right)),
    (each) => JSON.stringify([each.target, kindOf(each), each.class, each.path, each.why, each.fails, each.allowed]),
  );
  return groups.map((group) => {
    const [{ target, class: kind, where, path, why, allowed, fails, control, candidate }] = group;
    const mark = allowed === undefined ? (fails ? kind : `${kind}, does not fail`) : `${kind}, allowed by ${allowed}`;
    const one = group.length === 1;
    const who = one ? where : `${group.length} ${kindOf(group[0])}s`;
    const place = path === '' ? '' : ` ${path}`;
    const isSame = group.every(
      (each) => shown(each.control) === shown(control) && shown(each.candidate) === shown(candidate),
    );
    const sides = path === '' || path === 'order' ? '' : `: ${shown(control, 80)} → ${shown(candidate, 80)}`;
    const names = one ? '' : ` (${namesText(group.map((each) => each.where.slice(kindOf(each).length + 1)))})`;
    return `${target}: ${who}${place} (${mark}): ${why}${one || isSame ? sides : `, for example${sides.slice(1)}`}${names}`;
  });
}

/** Names that are left out for one reason stand together. */
export const notComparedLines = ({ notCompared }: RunReport): readonly string[] =>
  byKey(notCompared, ({ reason }) => reason).map((group) =>
    group.length === 1
      ? `${group[0].group}: ${group[0].reason}`
      : `${group.length} of them: ${group[0].reason} (${namesText(group.map((each) => each.group))})`,
  );

/** @param fails Findings that fail the run, or those that are to be known. */
export const listingLines = ({ listing }: RunReport, fails: boolean): readonly string[] =>
  byKey(
    listing.filter((each) => each.fails === fails),
    ({ target, broken }) => `${target}\n${broken}`,
  ).map((group) => {
    const [{ target, tool, text, count }] = group;
    const times = count > 1 ? ` (${count} times)` : '';
    if (group.length === 1) return `${target}: ${tool} ${text}${times}`;
    return `${target}: ${group.length} tools, for example ${tool} ${text}${times} (${namesText(group.map((each) => each.tool))})`;
  });

/** `150`, or `150 → 148` where the candidates gave other numbers. */
export function answersText(
  kind: 'result' | 'error' | 'refusal' | 'unfinished',
  answers: RunReport['groups'][number]['answers'],
  { control, candidates }: Pick<RunReport, 'control' | 'candidates'>,
): string {
  const of = (name: string): number => answers[name]?.[kind] ?? 0;
  const others = candidates.map(({ name }) => of(name));
  const own = of(control.name);
  return others.every((each) => each === own) ? String(own) : `${own} → ${others.join(', ')}`;
}

/** Times are kept in steps of a fifth, so more than two figures would say what nobody knows. */
export const timeText = (ms: number): string => `${Number(ms.toPrecision(2))} ms`;
