/** Where the flags come from. Another source is one line here: anything that is an OpenFeature provider. */
import { FlagshipServerProvider, type FlagshipBinding } from '@cloudflare/flagship/server';
import type { Provider } from '@openfeature/server-sdk';
import type { RouteSettings } from '../stage.ts';
import { VariablesProvider, type StageVars } from './variables-provider.ts';

export interface FlagEnv {
  /** The `[[flagship]]` binding; without it the variables are the source. */
  readonly FLAGS?: FlagshipBinding;
}

export function providerFor(env: FlagEnv, settings?: RouteSettings): Provider {
  return env.FLAGS === undefined
    ? new VariablesProvider(env as StageVars, settings)
    : new FlagshipServerProvider({ binding: env.FLAGS });
}
