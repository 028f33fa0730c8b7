/**
 * What a catalogue serves to one caller. Each of its definitions is there for them or is not, and its registrations may be
 * other ones for each. A view is a catalogue, made once for everybody who gets the same.
 */
import type { Caller } from '../caller.ts';
import type { AsWritten, RegisteredEntries } from '../define/registrations.ts';
import type { JsonObject } from '../json.ts';
import { reportInternal, report, type Reporter } from '../pipeline/report.ts';
import type { Catalogue } from './catalogue.ts';
import { completesIn } from './access.ts';
import { checkEntry } from './check-common.ts';
import { CatalogueError, RegistrationError, type DefinitionKind } from './error.ts';
import { visibleTo } from './visible.ts';

/** Gives each caller their view; undefined for a catalogue that is the same for everybody, which needs no look at who calls. */
export const viewerOf = (
  catalogue: Catalogue,
  reporter: Reporter,
): ((caller: Caller) => Catalogue | Promise<Catalogue>) | undefined =>
  catalogue.registrations.length === 0 && catalogue.conditional.length === 0
    ? undefined
    : (caller) => viewOf(catalogue, caller, reporter);

/**
 * The view of a caller; the catalogue itself if it is the same for everybody. Never throws: a caller whom a registration
 * refuses gets a view that refuses every request.
 */
export function viewOf(catalogue: Catalogue, caller: Caller, reporter: Reporter): Catalogue | Promise<Catalogue> {
  return catalogue.registrations.length === 0
    ? visibleTo(catalogue, caller, reporter)
    : recorded(catalogue, caller, reporter);
}

async function recorded(catalogue: Catalogue, caller: Caller, reporter: Reporter): Promise<Catalogue> {
  let view = catalogue;
  try {
    for (const registrations of catalogue.registrations)
      view = withEntries(view, await registrations.entriesFor(caller));
    // Last, so that a name is defined and registered for nobody, whoever sees it.
    return visibleTo(view, caller, reporter);
  } catch (cause) {
    if (cause instanceof CatalogueError || cause instanceof RegistrationError) {
      reportInternal(reporter, cause);
      return without(catalogue, 'broken');
    }
    report(reporter, { fault: 'caller_refused', tool: undefined, cause });
    return without(catalogue, 'refused');
  }
}

/** Nothing but a word for why: a capability for tools, so that every client comes to ask and reads it. */
function without(catalogue: Catalogue, closed: NonNullable<Catalogue['closed']>): Catalogue {
  const nothing = { tools: [], prompts: [], resources: [], templates: [] };
  return {
    ...catalogue,
    registrations: [],
    tools: new Map(),
    prompts: new Map(),
    resources: new Map(),
    templates: [],
    listed: nothing,
    completes: false,
    closed,
  };
}

const views = new WeakMap<Catalogue, WeakMap<RegisteredEntries, Catalogue>>();

function withEntries(base: Catalogue, entries: RegisteredEntries): Catalogue {
  const known = views.get(base) ?? new WeakMap<RegisteredEntries, Catalogue>();
  views.set(base, known);
  const before = known.get(entries);
  if (before !== undefined) return before;
  const made = merged(base, entries);
  known.set(entries, made);
  return made;
}

function merged(base: Catalogue, entries: RegisteredEntries): Catalogue {
  return {
    ...base,
    registrations: [],
    tools: added('tool', base.tools, entries.tools, ({ name }) => name),
    prompts: added('prompt', base.prompts, entries.prompts, ({ name }) => name),
    resources: added('resource', base.resources, entries.resources, ({ uri }) => uri),
    templates: [
      ...base.templates,
      ...entries.templates.map((definition) => ({
        definition,
        uri: { names: definition.variables, match: (uri: string) => definition.match(uri) },
        listsWhole: true as const,
      })),
    ],
    listed: new MergedLists(base.listed, entries),
    completes: base.completes || completesIn([...entries.prompts, ...entries.templates]),
  };
}

/** Made when they are asked for: few requests do, and converting the schemas takes longer than most tools run. */
class MergedLists implements Lists {
  readonly #base: Lists;
  readonly #entries: RegisteredEntries;
  readonly #made = new Map<DefinitionKind, readonly JsonObject[]>();

  constructor(base: Lists, entries: RegisteredEntries) {
    this.#base = base;
    this.#entries = entries;
  }

  get tools(): readonly JsonObject[] {
    return this.#with('tool', this.#base.tools, this.#entries.tools);
  }

  get prompts(): readonly JsonObject[] {
    return this.#with('prompt', this.#base.prompts, this.#entries.prompts);
  }

  get resources(): readonly JsonObject[] {
    return this.#with('resource', this.#base.resources, this.#entries.resources);
  }

  get templates(): readonly JsonObject[] {
    return this.#with('resource template', this.#base.templates, this.#entries.templates);
  }

  #with(kind: DefinitionKind, before: readonly JsonObject[], entries: readonly Written[]): readonly JsonObject[] {
    const known = this.#made.get(kind);
    if (known !== undefined) return known;
    const made = [...before, ...entries.map(({ name, listing }) => checkEntry(kind, name, listing()))];
    this.#made.set(kind, made);
    return made;
  }
}

type Lists = Catalogue['listed'];
type Written = AsWritten & { readonly name: string };

/** @throws CatalogueError for a name that is defined and registered, or registered by two. */
function added<T>(
  kind: DefinitionKind,
  before: ReadonlyMap<string, T>,
  entries: readonly T[],
  keyOf: (entry: T) => string,
): ReadonlyMap<string, T> {
  const all = new Map(before);
  for (const entry of entries) {
    const key = keyOf(entry);
    if (all.has(key)) {
      const remedy = 'Give each its own name, or take one of the two away.';
      throw new CatalogueError(kind, key, 'is in the catalogue twice', remedy);
    }
    all.set(key, entry);
  }
  return all;
}
