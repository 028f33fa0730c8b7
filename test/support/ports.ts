/**
 * Ports for running a tool without any lane: a world that stands still, and state in memory in the same holder that the
 * Durable Objects have.
 */
import { NOBODY } from '../../src/shared/caller.ts';
import type { Catalogue } from '../../src/shared/catalogue/catalogue.ts';
import type { ReducerContext, World } from '../../src/shared/define/context.ts';
import type { Json } from '../../src/shared/json.ts';
import type { CallPorts, StatePort } from '../../src/shared/pipeline/ports.ts';
import type { Report, Reporter } from '../../src/shared/pipeline/report.ts';
import { NO_SERVICES } from '../../src/shared/pipeline/services.ts';
import { StateHolder } from '../../src/shared/state/holder.ts';
import type { StoredState } from '../../src/shared/state/ownership.ts';

export interface FakePorts extends CallPorts {
  readonly state: MemoryState;
  /** What was reported to the operator, in order. */
  readonly reports: readonly Report[];
}

export interface MemoryState extends StatePort {
  /** Puts state behind a handle, as if an earlier call had. */
  put(handle: string, state: string, value: Json): void;
  get(handle: string, state: string): Json | undefined;
}

/** 2026-01-02T03:04:05.678Z for ever; ids count up; the network is not there. */
export function stillWorld(): World {
  let ids = 0;
  return {
    now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 678),
    random: () => 0.5,
    id: () => `00000000-0000-4000-8000-${String((ids += 1)).padStart(12, '0')}`,
    fetch: () => Promise.reject(new TypeError('A tool under test reached for the network.')),
  };
}

/** What a reducer is given by a deployment without services, for a caller without a sign-in. */
export const stillContext = (): ReducerContext => ({ ...stillWorld(), caller: NOBODY, services: undefined });

/** The state of a caller who names none is behind the handle `own`. */
export function memoryState(catalogue: Catalogue, world: World, report: Reporter = () => undefined): MemoryState {
  const stored = new Map<string, Map<string, StoredState>>();
  return {
    put: (handle, state, value) => void stored.set(handle, new Map(stored.get(handle)).set(state, { v: 1, value })),
    get: (handle, state) => stored.get(handle)?.get(state)?.value,
    apply: async ({ tool, args, handle: named }, live) => {
      if (named !== undefined && !stored.has(named)) return { ok: false, fault: { fault: 'unknown_handle', tool } };
      const handle = named ?? 'own';
      // At once: a call that names the handle may be on its way already.
      const isNew = !stored.has(handle);
      if (isNew) stored.set(handle, new Map());
      const holder = new StateHolder({
        catalogue,
        world,
        report,
        services: NO_SERVICES,
        callerOf: () => NOBODY,
        env: {},
        load: () => ({ epoch: 1, owner: true, states: Object.fromEntries(stored.get(handle) ?? []) }),
        save: ({ states = {} }) => void stored.set(handle, new Map(Object.entries(states))),
      });
      const outcome = await holder.apply({ tool, args: JSON.stringify(args), handle }, live);
      if (isNew && outcome?.ok !== true && stored.get(handle)?.size === 0) stored.delete(handle);
      return outcome ?? { ok: false, fault: { fault: 'state_unavailable', tool } };
    },
  };
}

/** Ports of a client that cannot be asked and is not signed in. */
export function fakePorts(catalogue: Catalogue, world = stillWorld()): FakePorts {
  const reports: Report[] = [];
  return {
    world,
    reports,
    signal: new AbortController().signal,
    client: undefined,
    caller: NOBODY,
    services: () => undefined,
    ask: { kind: 'none', otherwiseAt: '/legacy/mcp' },
    state: memoryState(catalogue, world, (what) => void reports.push(what)),
    report: (what) => void reports.push(what),
    log: () => Promise.resolve(),
  };
}
