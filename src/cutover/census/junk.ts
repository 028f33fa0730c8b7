/** Which clients an operator means, who wants the census to forget what nobody real has done. Pure. */

/** All that is said has to fit. */
export interface Junk {
  /** A name; `*` in it stands for any text. */
  readonly client?: string | undefined;
  readonly version?: string | undefined;
  /** Clients with at most so many calls in all. */
  readonly atMostCalls?: number | undefined;
}

export const isMeant = (
  { name, version, calls }: { readonly name: string; readonly version: string; readonly calls: number },
  junk: Junk,
): boolean =>
  (junk.client === undefined || fits(name, junk.client)) &&
  (junk.version === undefined || fits(version, junk.version)) &&
  (junk.atMostCalls === undefined || calls <= junk.atMostCalls);

/** Without a regular expression, whose time a pattern could make endless. */
function fits(text: string, pattern: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  const tail = rest.pop();
  if (tail === undefined) return text === head;
  if (text.length < head.length + tail.length || !text.startsWith(head) || !text.endsWith(tail)) return false;
  let from = head.length;
  for (const part of rest) {
    const at = text.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return from <= text.length - tail.length;
}
