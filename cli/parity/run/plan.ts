/** What a run will ask, from what the targets list and what the options allow. */
import { nameMatches } from '../../../src/parity/path.ts';
import { textOf, type Surface } from '../../../src/parity/surface/listing.ts';
import type { JsonObject } from '../../../src/shared/json.ts';
import { groupOf, type Case } from '../cases/case.ts';
import { listedCases } from '../cases/generated.ts';
import { admit, isSelected, onlyReads, type Selection } from '../cases/safety.ts';
import type { SchemaWork } from '../schemas/schema-work.ts';
import type { Knowledge } from '../generate/knowledge.ts';
import type { Listings } from './listing.ts';
import type { RunOptions } from './options.ts';
import type { Session } from './session.ts';

export interface Plan {
  /** Any order, side by side, in the sessions that are open. */
  readonly safe: readonly Case[];
  /** Tools that may leave something behind: each in sessions of its own, one call after the other. */
  readonly fresh: readonly (readonly Case[])[];
  readonly notCompared: { group: string; reason: string }[];
  /** Inputs of a tool that the control has answered with a result. */
  readonly succeeded: (tool: string) => readonly JsonObject[];
  /** Whether a recorded or scripted call of a tool may be made. */
  readonly refuses: (tool: string) => string | undefined;
}

export async function makePlan(
  options: RunOptions,
  session: Session,
  surfaces: ReadonlyMap<string, Surface>,
  listings: Listings,
  work: SchemaWork,
  known: Knowledge,
  onCostly: (tool: string, why: string) => void,
): Promise<Plan> {
  const { selection, seed, just } = options;
  const control = surfaces.get(session.control.target.name);
  const everywhere = (name: string): readonly JsonObject[] =>
    [...surfaces.values()].flatMap((surface) => surface.tools.filter((tool) => tool['name'] === name));
  const notCompared: { group: string; reason: string }[] = [];
  const safe: Case[] = [];
  const fresh: (readonly Case[])[] = [];
  const refuses = (name: string): string | undefined => {
    const admission = admit(name, everywhere(name), { ...selection, only: [], skip: [] });
    return admission.call ? undefined : admission.why;
  };
  const succeeded = (name: string): readonly JsonObject[] => known.seeds(name);
  const add = (name: string, cases: readonly Case[]): void => {
    const listed = everywhere(name);
    const reads = listed.every(onlyReads);
    if (reads) safe.push(...cases);
    else fresh.push(cases);
  };
  if (just !== undefined && 'call' in just) {
    const group = groupOf(just.call);
    const one: Case = { id: group, group, source: 'recorded', call: just.call };
    // Whoever writes the call down asks for it, so it is made; a tool that may write gets its own sessions.
    add(group, [one]);
    return { safe, fresh, notCompared, succeeded, refuses };
  }
  for (const tool of control?.tools ?? []) {
    const name = textOf(tool['name']);
    if (just !== undefined && !just.caseId.startsWith(`${name}#`)) continue;
    const admission = admit(name, everywhere(name), selection);
    if (!admission.call) {
      notCompared.push({ group: name, reason: admission.why });
      continue;
    }
    const validate = listings.of(session.control.target.name, name)?.input;
    if (validate === undefined) {
      notCompared.push({ group: name, reason: 'the control lists a broken inputSchema' });
      continue;
    }
    const missing = session.candidates.filter(
      ({ target }) => !surfaces.get(target.name)?.tools.some((each) => each['name'] === name),
    );
    if (missing.length === session.candidates.length) {
      notCompared.push({ group: name, reason: 'no candidate has it' });
      continue;
    }
    if (options.cases === 0 || control === undefined) continue;
    const made = await work.generate(tool, control, {
      ...{ seed, count: options.cases },
      ...known.drawOf(name, tool['inputSchema']),
    });
    if (!made.ok) {
      notCompared.push({ group: name, reason: `no input could be generated: ${made.why}` });
      if (made.cost) onCostly(name, made.why);
    } else add(name, made.cases);
  }
  if (just !== undefined) {
    const only = (cases: readonly Case[]): readonly Case[] => cases.filter(({ id }) => id === just.caseId);
    return {
      safe: only(safe),
      fresh: fresh.map(only).filter(({ length }) => length > 0),
      notCompared,
      succeeded,
      refuses,
    };
  }
  const listed = control === undefined ? [] : listedCases(control);
  const names = [...(control?.tools ?? []).map((tool) => textOf(tool['name'])), ...listed.map(({ group }) => group)];
  notCompared.push(...unmatched(selection, names));
  if (options.cases > 0) safe.push(...listed.filter(({ group }) => isSelected(group, selection)));
  return { safe, fresh, notCompared, succeeded, refuses };
}

/** A name that nothing has is a slip of the pen, and what it should have named would be left out, or in, without a word. */
function unmatched({ only, skip }: Selection, names: readonly string[]): { group: string; reason: string }[] {
  const flags = { '--only': only, '--skip': skip };
  return Object.entries(flags).flatMap(([flag, patterns]) =>
    patterns
      .filter((pattern) => !names.some((name) => nameMatches(pattern, name)))
      .map((group) => ({ group, reason: `${flag} names it, and the control lists nothing of that name` })),
  );
}
