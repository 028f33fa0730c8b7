/** What the router needs of a lane. The lanes fit these by shape, so that one of them can be deleted. */
import type { Era } from './decide.ts';

/** The legacy half, where the Worker still has it. */
export interface LegacyHalf<Env> {
  fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response>;
  /** True for a session id that the lane can have given out. */
  isSessionId(env: Env, sessionId: string): boolean;
}

export interface StatelessHalf<Env> {
  fetch(request: Request, call: { env: Env; body: unknown; sessionId: string | undefined }): Promise<Response>;
  eraOf(request: Request, body: unknown): Promise<Era>;
  /** Forgets the state of a compat session. */
  endSession(env: Env, sessionId: string): Promise<void>;
  isSessionId(sessionId: string): boolean;
  newSessionId(): string;
}
