/** What the router asks about the migration: the stages and the brake. */
import type { Reporter } from '../shared/pipeline/report.ts';
import { createBrakeReader, type BrakeReader } from './brake.ts';
import { createFlags, type Flags, type FlagSubject, type FlagValue } from './flags/flags.ts';
import type { RouteKey } from './stage.ts';

export interface Cutover {
  stageFor<R extends RouteKey>(route: R, subject: FlagSubject): Promise<FlagValue<R>>;
  stageOf<R extends RouteKey>(route: R, ctx: Pick<ExecutionContext, 'waitUntil'>): Promise<FlagValue<R>>;
  stageKnown<R extends RouteKey>(route: R, ctx: Pick<ExecutionContext, 'waitUntil'>): FlagValue<R>;
  isBraked(): Promise<boolean>;
}

/** One for each environment that an isolate sees, which in production is one. */
export function createCutover(reporter: Reporter): (env: object) => Cutover {
  const known = new WeakMap<object, Cutover>();
  return (env) => {
    const before = known.get(env);
    if (before !== undefined) return before;
    const flags: Flags = createFlags(env, reporter);
    const brake: BrakeReader = createBrakeReader(env, reporter);
    const made: Cutover = { ...flags, isBraked: () => brake.isOn() };
    known.set(env, made);
    return made;
  };
}
