/** What the operator API is made of. Types only. */
import type { Catalogue } from '../../shared/catalogue/catalogue.ts';
import type { Reporter } from '../../shared/pipeline/report.ts';
import type { RouteKey, RouteSettings } from '../stage.ts';
import type { KeysOf } from './access.ts';
import type { CensusPort, StagesPort } from './ports.ts';

export type AdminPaths = Readonly<Record<RouteKey | 'admin', string>>;

/** What the bindings are called. */
export type AdminNames = Readonly<Record<'operator' | 'legacy' | 'census' | 'flags', string>>;

export interface AdminOptions<Env> {
  readonly catalogue: Pick<Catalogue, 'info'>;
  readonly report: Reporter;
  readonly stages: (env: Env) => StagesPort;
  readonly census: CensusPort<Env>;
  /** Where the routes are, for what is said of them, and where this API is. */
  readonly paths: AdminPaths;
  readonly names: AdminNames;
  /** Keys and variables of the routes' flags; the shipped ones if absent. */
  readonly settings?: RouteSettings;
  /** What an operator should know of the deployment's configuration. */
  readonly warningsOf?: (env: Env) => readonly string[];
  /** Another source for the keys of Cloudflare Access, for tests. */
  readonly accessKeys?: KeysOf;
  readonly now?: () => number;
}
