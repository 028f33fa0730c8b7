/** The first of each list, then the second of each, and so on: a long list does not crowd out a short one. Pure. */
export function alternated<Value>(lists: readonly (readonly Value[])[]): readonly Value[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_each, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}
