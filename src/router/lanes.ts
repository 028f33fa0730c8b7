/** What the router needs of a lane. The lanes fit these by shape, so that one of them can be deleted. */
import type { Era } from './decide.ts';
import type { McpRoute } from './routes.ts';

/** The legacy half, where the Worker still has it. */
export interface LegacyHalf<Env> {
  fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response>;
  /** True for a session id that the lane can have given out. */
  isSessionId(env: Env, sessionId: string): boolean;
  /** False where a session belongs to another subject, and the id of it was stolen. */
  admits(env: Env, transport: McpRoute['transport'], sessionId: string, subject: string | undefined): Promise<boolean>;
  /** Where a session is served: by this half, by the stateless one, or not any more. */
  standing(env: Env, sessionId: string): Promise<'live' | 'drained' | 'gone'>;
  /** Ends a session, drained or not, with its state. */
  endSession(env: Env, sessionId: string): Promise<void>;
  /** The name of the session's agent, by which a state object reaches it. */
  agentName(sessionId: string): string;
}

export interface StatelessCall<Env> {
  readonly env: Env;
  readonly body: unknown;
  /** The session that the request belongs to: one of the stateless half's own, or a drained one. */
  readonly sessionId: string | undefined;
  readonly agent?: string;
  readonly subject?: string;
}

export interface StatelessHalf<Env> {
  fetch(request: Request, call: StatelessCall<Env>): Promise<Response>;
  eraOf(request: Request, body: unknown): Promise<Era>;
  /** Forgets the state of a compat session. */
  endSession(env: Env, sessionId: string, subject: string | undefined): Promise<void>;
  isSessionId(sessionId: string): boolean;
  newSessionId(): string;
}
