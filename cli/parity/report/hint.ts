/** What may make a tool equal that differs in one value alone: servers give out ids that are new in each session. Pure. */
import { SANITIZERS, sanitize, type SanitizerName } from '../../../src/parity/sanitize.ts';
import type { Failure } from '../run/report.ts';

/** One line for each tool whose differences are all strings under one and the same key. */
export function sessionHints(failures: readonly Failure[]): readonly string[] {
  const plain = failures.filter(({ note }) => note === undefined);
  return [...new Set(plain.map(({ group }) => group))].flatMap((group) => {
    const differences = plain.flatMap((failure) => (failure.group === group ? failure.differences : []));
    const [first] = differences;
    if (first === undefined) return [];
    if (differences.every(({ path }) => path === 'time')) {
      const slowest = Math.max(
        ...differences.map(({ candidate }) => (typeof candidate === 'string' ? Number.parseFloat(candidate) : 0)),
      );
      return [
        `${group} is slower on the candidate. If that may be, try --slower-by ${Math.ceil((slowest + 1) / 1_000) * 1_000}.`,
      ];
    }
    const key = lastOf(first.path);
    const values: (readonly [string, string])[] = [];
    for (const { path, control, candidate } of differences) {
      if (lastOf(path) !== key || typeof control !== 'string' || typeof candidate !== 'string') return [];
      values.push([control, candidate]);
    }
    const form = SANITIZERS.find((name) =>
      values.every(([left, right]) => without(name, left) === without(name, right)),
    );
    // A text that differs without a form that is known differs in what it says; only a form makes it likely to be an id.
    return form === undefined
      ? []
      : [`${group} differs in ${key} alone. If this differs between sessions, try --sanitize ${form}.`];
  });
}

const lastOf = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

function without(name: SanitizerName, value: string): string {
  const clean = sanitize({ kind: 'result', result: { value } }, '', { names: [name], paths: [] });
  return JSON.stringify(clean);
}
