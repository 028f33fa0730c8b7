/** What definitions need of their deployment, as types: they are checked where a Worker is composed. Types only. */
import type { Properties } from '../caller.ts';

declare const NEEDS: unique symbol;

/** Carries the types of the services and of the sign-in's properties that a definition names. There is no such member. */
export interface Needing<Services = unknown, P = Properties> {
  readonly [NEEDS]?: (services: Services, properties: P) => void;
}

/** All at once what the definitions `D` need. */
export type ServicesFor<D> = AllOf<D extends Needing<infer Services, never> ? (needed: Services) => void : never>;

/** The sign-in's properties that the definitions `D` read. */
export type PropertiesFor<D> = AllOf<D extends Needing<never, infer P> ? (needed: P) => void : never>;

/** A function that takes what each of the functions `F` takes can be given the intersection only. */
type AllOf<F> = [F] extends [(needed: infer All) => void] ? All : never;
