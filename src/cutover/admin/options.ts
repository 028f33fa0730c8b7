/** What the operator API is made of. Types only. */
import type { Catalogue } from '../../shared/catalogue/catalogue.ts';
import type { Reporter } from '../../shared/pipeline/report.ts';
import type { KeysOf } from './access.ts';
import type { CensusPort, StagesPort } from './ports.ts';

export interface AdminOptions<Env> {
  readonly catalogue: Pick<Catalogue, 'info'>;
  readonly report: Reporter;
  readonly stages: (env: Env) => StagesPort;
  readonly census: CensusPort<Env>;
  /** Another source for the keys of Cloudflare Access, for tests. */
  readonly accessKeys?: KeysOf;
  readonly now?: () => number;
}
