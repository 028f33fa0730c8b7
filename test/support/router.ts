/** The router by itself, for tests that give it lanes, stages or a catalogue of their own. */
import { createCutover } from '../../src/cutover/cutover.ts';
import { createConfig } from '../../src/router/config.ts';
import { createRouter, type Fetch, type RouterOptions } from '../../src/router/router.ts';
import { DEFAULT_PATHS, routesAt } from '../../src/router/routes.ts';
import { subjectIn } from '../../src/shared/caller.ts';
import type { HybridEnv } from '../../src/hybrid/bindings.ts';

type Usual = 'routes' | 'subjectOf' | 'configOf' | 'cutover';

export const routerWith = (
  options: Omit<RouterOptions<HybridEnv>, Usual> & Partial<Pick<RouterOptions<HybridEnv>, Usual>>,
): Fetch<HybridEnv> =>
  createRouter<HybridEnv>({
    routes: routesAt(DEFAULT_PATHS),
    subjectOf: subjectIn('subject'),
    configOf: createConfig(),
    cutover: createCutover(options.report),
    ...options,
  });
