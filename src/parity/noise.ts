/**
 * Which places of which tool's answers vary when the control is asked the same twice. A difference at such a place says
 * nothing about the candidate, unless the kind of value changed: a text that became a number is no noise. Pure.
 */
import type { Json } from '../shared/json.ts';
import type { Difference } from './compare.ts';
import { pathMatches } from './path.ts';

/** A tool with more varying places varies as a whole: a server may give other keys each time. */
const MOST_PATHS = 200;

export class Noise {
  readonly #paths = new Map<string, Set<string>>();

  /** @param varied What differed between two answers of the control to one call. */
  add(tool: string, varied: readonly Difference[]): void {
    if (varied.length === 0) return;
    const paths = this.#paths.get(tool) ?? new Set();
    for (const difference of varied) paths.add(noisyPath(difference));
    this.#paths.set(tool, paths.size > MOST_PATHS ? new Set(['**']) : paths);
  }

  /** The patterns of the places that vary, sorted; none for a tool that always answers the same. */
  of(tool: string): readonly string[] {
    return [...(this.#paths.get(tool) ?? [])].toSorted();
  }

  tools(): readonly string[] {
    return [...this.#paths.keys()].toSorted();
  }

  /** True when the difference may be the tool's own and not the candidate's. */
  explains(tool: string, difference: Difference): boolean {
    if (!this.of(tool).some((pattern) => pathMatches(pattern, difference.path))) return false;
    const { control, candidate } = difference;
    // What comes and goes on the control too has no kind to compare.
    if (control === undefined || candidate === undefined) return true;
    return kindOf(control) === kindOf(candidate);
  }
}

/** A list that got longer or shorter varies as a whole: its positions no longer mean the same. */
function noisyPath({ path, control, candidate }: Difference): string {
  const appeared = control === undefined || candidate === undefined;
  return appeared && /\.\d+$/.test(path) ? path.replace(/\.\d+$/, '.**') : path;
}

const kindOf = (value: Json): string => (value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value);
