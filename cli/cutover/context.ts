/** What every action is given, and what it gives back. Only the program prints. */
import type { Status } from './answers.ts';
import type { AdminApi } from './api.ts';
import type { FlagStore } from './flag-store.ts';
import type { RunWrangler } from './run-wrangler.ts';
import { couldNot } from './stop.ts';

export interface Context {
  readonly api: AdminApi;
  readonly url: string;
  readonly config: string;
  /** Made when it is first needed: most commands have no use for flags. */
  readonly store: () => Promise<FlagStore>;
  /** The wrangler of the project. */
  readonly run: RunWrangler;
  /** Asked once for a command. */
  readonly status: () => Promise<Status>;
  /** What the operator calls themselves: a note beside whom the Worker knows by their sign-in. */
  readonly said: string;
  readonly now: () => number;
  /** Asks the operator a question; undefined if nobody is there to answer. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
  /** What certificates are signed with; missing where the environment has none. */
  readonly parityKey: string | undefined;
}

export interface Done {
  readonly exitCode: 0 | 1 | 2;
  readonly json: object;
  readonly text: string;
}

export interface ChangeFlags {
  readonly dryRun?: boolean;
  readonly why?: string;
}

/** A change without a reason is a riddle to the next operator. */
export function whyOf({ dryRun, why }: ChangeFlags): string {
  if (why !== undefined && why.trim() !== '') return why;
  if (dryRun === true) return 'dry run';
  throw couldNot(
    'A change needs a reason',
    'Say it with --why "…"; it goes to the audit log. Or look first with --dry-run.',
  );
}
