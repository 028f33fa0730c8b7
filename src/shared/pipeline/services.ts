/** What a definition may use of its deployment: made when it is first asked for, and at most once per request. Pure. */
import { receivedCaller, type Caller, type CallerReader } from '../caller.ts';
import { ConfigurationProblems } from '../configuration.ts';
import type { ReducerContext, StillWorld } from '../define/context.ts';
import { FaultSignal, type Fault } from './fault.ts';

/** Makes the services of a caller from the bindings of the Worker or of a Durable Object. */
export type ServicesMaker = (env: object, caller: Caller) => unknown;

/** A deployment without services gives none. */
export const NO_SERVICES: ServicesMaker = () => undefined;
/** What a call has where there are none. */
export const noServices = (): undefined => undefined;

/** Makes the services when they are first asked for, once. What making them throws is thrown each time. */
export function servicesOf(make: ServicesMaker, env: object, caller: Caller): () => unknown {
  let made: { readonly value: unknown } | { readonly failure: unknown } | undefined;
  return () => {
    made ??= attempt(() => make(env, caller));
    if ('failure' in made) throw made.failure;
    return made.value;
  };
}

function attempt(work: () => unknown): { readonly value: unknown } | { readonly failure: unknown } {
  try {
    return { value: work() };
  } catch (failure) {
    return { failure };
  }
}

/** What the owner of a state makes the context of a reducer from. */
export interface ReducerParts {
  readonly world: StillWorld;
  readonly services: ServicesMaker;
  readonly callerOf: CallerReader;
  /** The environment of the object that owns the state. */
  readonly env: object;
}

/** @param sent The caller as text, undefined for one without a sign-in. */
export function reducerContext(
  { world, services, callerOf, env }: ReducerParts,
  sent: string | undefined,
): ReducerContext {
  const caller = receivedCaller(sent, callerOf);
  const made = servicesOf(services, env, caller);
  return {
    now: () => world.now(),
    random: () => world.random(),
    id: () => world.id(),
    caller,
    get services() {
      return made();
    },
  };
}

/** The fault of what a definition's code threw, and its cause for the operator. */
export function faultOfThrown(name: string, cause: unknown): { readonly fault: Fault; readonly cause: unknown } {
  if (cause instanceof FaultSignal) return { fault: cause.fault, cause: cause.cause };
  // Thrown by the environment that services are made of, which knows the name of what is missing.
  if (cause instanceof ConfigurationProblems) return { fault: { fault: 'not_configured', tool: name }, cause };
  return { fault: { fault: 'tool_failed', tool: name }, cause };
}
