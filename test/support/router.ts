/** The router by itself, for tests that give it lanes, stages or a catalogue of their own. */
import { createCutover } from '../../src/cutover/cutover.ts';
import { createRouter, type Fetch, type RouterOptions } from '../../src/router/router.ts';
import { DEFAULT_PATHS, routesAt } from '../../src/router/routes.ts';
import { callerOf, subjectIn } from '../../src/shared/caller.ts';
import { DEFAULT_BINDINGS, type HybridEnv } from '../../src/hybrid/bindings.ts';
import { createEnvironment } from '../../src/hybrid/environment.ts';

type Usual = 'routes' | 'callerOf' | 'envOf' | 'environmentOf' | 'cutover';

export const routerWith = (
  options: Omit<RouterOptions<HybridEnv>, Usual> & Partial<Pick<RouterOptions<HybridEnv>, Usual>>,
): Fetch => {
  const { report } = options;
  const environmentOf = createEnvironment({
    names: DEFAULT_BINDINGS,
    defaults: undefined,
    required: new Set(),
    catalogue: { tools: new Map() },
    report,
  });
  return createRouter<HybridEnv>({
    routes: routesAt(DEFAULT_PATHS),
    callerOf: (props) => callerOf(props, { subjectOf: subjectIn('subject') }),
    envOf: (env) => env as HybridEnv,
    environmentOf,
    cutover: createCutover(options.report),
    ...options,
  });
};
