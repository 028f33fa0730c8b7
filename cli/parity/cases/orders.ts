/**
 * The orders in which tools can follow each other, each of them once, in rows that one session plays. Pure.
 */
import type { Chances } from './chances.ts';

type IsWorthPlaying<Item> = (order: readonly Item[]) => boolean;

/**
 * Rows of items in which each order of a length that is worth playing stands once or more. They are made as they are
 * asked for, since many tools have more orders than anybody plays.
 */
export function* rowsOfOrders<Item extends object>(
  items: readonly Item[],
  length: number,
  rowLength: number,
  isWorthPlaying: IsWorthPlaying<Item>,
  chance: Chances,
): Generator<readonly Item[]> {
  const numbers = new Map(items.map((item, at) => [item, at]));
  const keyOf = (order: readonly Item[]): string => order.map((item) => numbers.get(item)).join();
  const left = new Map(
    ordersOf(items, length)
      .filter(isWorthPlaying)
      .map((order) => [keyOf(order), order]),
  );
  while (left.size > 0) {
    const row: Item[] = [];
    while (left.size > 0) {
      const end = row.slice(row.length - length + 1);
      const next = row.length < length - 1 ? [] : items.filter((item) => left.has(keyOf([...end, item])));
      // Where nothing goes on from the end, another order begins.
      const more = next.length > 0 ? [chance.of(next)] : chance.of([...left.values()]);
      if (row.length > 0 && row.length + more.length > rowLength) break;
      row.push(...more);
      left.delete(keyOf(row.slice(-length)));
    }
    yield row;
  }
}

/** More would take longer to list than to play. */
const MOST_ORDERS = 20_000;

function ordersOf<Item>(items: readonly Item[], length: number): readonly (readonly Item[])[] {
  if (items.length ** length > MOST_ORDERS) return [];
  return Array.from({ length }).reduce<readonly (readonly Item[])[]>(
    (orders) => orders.flatMap((order) => items.map((item) => [...order, item])),
    [[]],
  );
}
