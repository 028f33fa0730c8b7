/** What the operator's API needs of the rest of the cutover, so that it can be tested without it. Types only. */
import type { SessionAgentApi } from '../../state/transfer.ts';
import type { BrakeEnv } from '../brake.ts';
import type { Junk } from '../census/junk.ts';
import type { JunkFound } from '../census/read.ts';
import type { CensusReport, ClientCensus } from '../census/report.ts';
import type { OpenSession, SessionFilter } from '../census/rows.ts';
import type { FlagTrouble } from '../flags/flags.ts';
import type { RouteKey, Stage } from '../stage.ts';
import type { SignInEnv } from './sign-in.ts';

export type AdminEnv = SignInEnv &
  BrakeEnv & {
    readonly LEGACY_AGENT?: DurableObjectNamespace;
    readonly FLAGS?: unknown;
    /** Where the flags of a Worker on this machine are kept, as who started it says; for its operator's commands. */
    readonly LOCAL_STORE?: string;
    readonly SESSION_IDLE_MS?: string | number;
    readonly KEEP_SESSIONS?: string;
  };

/** The part of the census's report that is judged here; the whole of it goes to the operator as it is. */
export type CensusSummary = Pick<CensusReport, 'lastLegacyCallAt' | 'openSessions' | 'untrackedSessions'> & {
  /** What is blocked is among the listed ones, as far as there is room for it. */
  readonly unlisted?: CensusReport['unlisted'];
  readonly clients: readonly Pick<ClientCensus, 'name' | 'version' | 'verdict'>[];
};

export interface CensusPort<Env> {
  read(env: Env): Promise<CensusSummary>;
  /** Sessions that can be drained or taken back. The ids never leave the Worker. */
  sessions(env: Env, filter: SessionFilter): Promise<readonly Pick<OpenSession, 'id' | 'drained'>[]>;
  findJunk(env: Env, junk: Junk): Promise<JunkFound>;
  forgetJunk(env: Env, found: JunkFound): Promise<void>;
  setDrained(env: Env, ids: readonly string[], drained: boolean): Promise<void>;
  ended(env: Env, id: string): Promise<void>;
}

export interface EvaluatedStage {
  readonly stage: Stage;
  readonly reason: string;
  /** What is wrong with the flag, and since when; absent if it was read. */
  readonly trouble?: FlagTrouble;
}

/** What a route's flag says for a request that nothing is known of. */
export interface StagesPort {
  stageOf(route: RouteKey, ctx: Pick<ExecutionContext, 'waitUntil'>): Promise<EvaluatedStage>;
}

export type Agent = Pick<SessionAgentApi, 'drain' | 'takeBack' | 'standing' | 'endSession'>;
