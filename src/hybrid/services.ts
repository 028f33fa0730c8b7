/**
 * The environment as the `services` option gets it: what is not there is an error that names it, so that a binding or a
 * secret which was forgotten is told to the operator by its name, and not by what a tool does without it.
 */
import { NOBODY, type Caller } from '../shared/caller.ts';
import { ConfigurationProblems } from '../shared/configuration.ts';
import type { ServicesMaker } from '../shared/pipeline/services.ts';

/** As it may be written in an application, whose types have been checked against its catalogue. */
export type ServicesOption = (env: never, caller: Caller<never>) => unknown;

/** @param given The environment as the platform gave it. */
export function servicesMaker(option: ServicesOption, given: (env: object) => object): ServicesMaker {
  const strict = new WeakMap<object, object>();
  const strictOf = (env: object): object => {
    const known = strict.get(env) ?? withoutGaps(env, missing);
    strict.set(env, known);
    return known;
  };
  return (env, caller) => option(strictOf(given(env)) as never, caller as Caller<never>);
}

function missing(name: string): never {
  throw new ConfigurationProblems([problemOf(name)]);
}

const problemOf = (name: string): string =>
  `The option "services" reads ${name} from the environment, and there is no binding, variable or secret of this name: add it to the Wrangler configuration or, for a secret, with \`wrangler secret put ${name}\`. For one that may be absent, ask \`'${name}' in env\` first.`;

/** Read by whatever looks into an object, such as \`await\` and JSON. */
const ANY_OBJECT: ReadonlySet<string> = new Set(['then', 'toJSON', 'constructor']);

function withoutGaps(env: object, onGap: (name: string) => unknown): object {
  return new Proxy(env, {
    get: (target, name): unknown => {
      if (typeof name === 'symbol' || name in target || ANY_OBJECT.has(name)) return Reflect.get(target, name);
      return onGap(name);
    },
  });
}

/**
 * What of the environment is missing, as far as it can be known without a call: the option is asked once for a caller
 * without a sign-in. What it throws for such a caller says nothing of the environment.
 */
export function servicesProblems(option: ServicesOption, env: object): readonly string[] {
  const gaps = new Set<string>();
  try {
    option(withoutGaps(env, (name) => void gaps.add(name)) as never, NOBODY);
  } catch {
    // A caller who is somebody may be needed.
  }
  return [...gaps].map(problemOf);
}
