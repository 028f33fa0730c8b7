/** What the router asks about the migration: the stages and the brake. */
import type { Reporter } from '../shared/pipeline/report.ts';
import { createBrakeReader } from './brake.ts';
import { createFlags, type Flags } from './flags/flags.ts';
import { providerFor } from './flags/provider.ts';
import { stageMemory } from './stage-memory.ts';
import type { RouteSettings } from './stage.ts';

export interface Cutover extends Flags {
  isBraked(): Promise<boolean>;
}

/**
 * One for each environment that an isolate sees, which in production is one.
 * @param settings Keys and usual stages of the routes' flags; the shipped ones if absent.
 */
export function createCutover(reporter: Reporter, settings?: RouteSettings): (env: object) => Cutover {
  const known = new WeakMap<object, Cutover>();
  return (env) => {
    const before = known.get(env);
    if (before !== undefined) return before;
    const memory = stageMemory(env);
    const flags = createFlags({
      source: providerFor(env, settings),
      report: reporter,
      ...(settings !== undefined && { settings }),
      ...(memory !== undefined && { memory }),
    });
    const brake = createBrakeReader(env, reporter);
    const made: Cutover = { ...flags, isBraked: () => brake.isOn() };
    known.set(env, made);
    return made;
  };
}
