/** What of a catalogue is there for a caller. Pure, but for what it reports. */
import type { Caller } from '../caller.ts';
import type { JsonObject } from '../json.ts';
import { reportInternal, type Reporter } from '../pipeline/report.ts';
import { RecentMap } from '../recent-map.ts';
import { completesIn, type Conditional } from './access.ts';
import type { Catalogue } from './catalogue.ts';

/** For so many groups of callers, each of whom sees the same. */
const MAX_GROUPS = 50;

const groups = new WeakMap<Catalogue, RecentMap<Catalogue>>();

/** The catalogue as this caller sees it: the same value for all who see the same. */
export function visibleTo(catalogue: Catalogue, caller: Caller, reporter: Reporter): Catalogue {
  const { conditional } = catalogue;
  if (conditional.length === 0) return catalogue;
  const seen = conditional.map((one) => isSeen(one, caller, reporter));
  if (seen.every(Boolean)) return catalogue;
  const known = groups.get(catalogue) ?? new RecentMap<Catalogue>(MAX_GROUPS);
  groups.set(catalogue, known);
  const group = seen.map(Number).join('');
  const before = known.get(group);
  if (before !== undefined) return before;
  const made = shownWithout(
    catalogue,
    conditional.filter((_one, at) => seen[at] !== true),
  );
  known.set(group, made);
  return made;
}

/** Nobody is shown what its author may have wanted to keep from them. */
function isSeen({ kind, key, isFor }: Conditional, caller: Caller, reporter: Reporter): boolean {
  try {
    return isFor(caller);
  } catch (cause) {
    reportInternal(reporter, new Error(`The ${kind} "${key}" is hidden, because its "visible" failed`, { cause }));
    return false;
  }
}

function shownWithout(catalogue: Catalogue, hidden: readonly Conditional[]): Catalogue {
  const keys = (kind: Conditional['kind']): ReadonlySet<string> =>
    new Set(hidden.filter((one) => one.kind === kind).map(({ key }) => key));
  const [tools, prompts, resources] = [keys('tool'), keys('prompt'), keys('resource')];
  const templates = keys('resource template');
  const left = {
    tools: notIn(tools, catalogue.tools),
    prompts: notIn(prompts, catalogue.prompts),
    resources: notIn(resources, catalogue.resources),
    templates: catalogue.templates.filter(({ definition }) => !templates.has(definition.uriTemplate)),
  };
  const { listed } = catalogue;
  return {
    ...catalogue,
    ...left,
    // The entries are those that were made for everybody, and registered ones are made when they are first asked for.
    listed: {
      get tools() {
        return without(tools, 'name', listed.tools);
      },
      get prompts() {
        return without(prompts, 'name', listed.prompts);
      },
      get resources() {
        return without(resources, 'uri', listed.resources);
      },
      get templates() {
        return without(templates, 'uriTemplate', listed.templates);
      },
    },
    completes: completesIn([...left.prompts.values(), ...left.templates.map(({ definition }) => definition)]),
  };
}

const notIn = <T>(hidden: ReadonlySet<string>, all: ReadonlyMap<string, T>): ReadonlyMap<string, T> =>
  new Map([...all].filter(([key]) => !hidden.has(key)));

const without = (hidden: ReadonlySet<unknown>, key: string, entries: readonly JsonObject[]): readonly JsonObject[] =>
  entries.filter((entry) => !hidden.has(entry[key]));
