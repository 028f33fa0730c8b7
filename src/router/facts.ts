/** What a decision has to know of a request: read from it once, by the forms of things alone. */
import { subjectOf } from '../state/subject.ts';
import { cleanText } from '../cutover/census/seen.ts';
import type { FlagSubject } from '../cutover/flags/flags.ts';
import { isPlainObject } from '../shared/json.ts';
import { doorConfig } from './config.ts';
import type { Era, Facts, SessionKind } from './decide.ts';
import type { Asked } from './lane-service.ts';
import type { LegacyHalf, StatelessHalf } from './lanes.ts';

/** What a client may declare that only a session can carry (spec 2025-11-25, client). */
const NEEDS_SESSION = ['elicitation', 'sampling', 'roots'] as const;

export interface Halves<Env> {
  readonly stateless: StatelessHalf<Env>;
  readonly legacy: LegacyHalf<Env> | undefined;
}

/** @param json The posted message; undefined for GET and DELETE. */
export function factsOf<Env extends object>(asked: Asked<Env>, halves: Halves<Env>, era: Era, json: unknown): Facts {
  const { route } = asked.route;
  return {
    route: asked.route.transport === 'streamable' ? route : 'sse',
    era,
    session: sessionKind(asked, halves),
    opens: isInitialize(json),
    needsSession: doorConfig(asked.env).keepSessions && declaresSession(json),
    hasLegacy: halves.legacy !== undefined,
  };
}

export const isInitialize = (json: unknown): boolean => isPlainObject(json) && json['method'] === 'initialize';

/** The id of the session that a request names; null where it names none. */
export function sessionIdOf({ request, route }: Pick<Asked<unknown>, 'request' | 'route'>): string | null {
  if (route.transport === 'streamable') return request.headers.get('mcp-session-id');
  return new URL(request.url).searchParams.get('sessionId');
}

function sessionKind<Env>(asked: Asked<Env>, { stateless, legacy }: Halves<Env>): SessionKind {
  const sessionId = sessionIdOf(asked);
  if (sessionId === null) return 'none';
  // The old transport knows sessions of its own only.
  if (stateless.isSessionId(sessionId)) return asked.route.transport === 'streamable' ? 'compat' : 'unknown';
  return legacy?.isSessionId(asked.env, sessionId) === true ? 'legacy' : 'unknown';
}

function declaresSession(json: unknown): boolean {
  const params = isPlainObject(json) ? json['params'] : undefined;
  const declared = isPlainObject(params) ? params['capabilities'] : undefined;
  return isPlainObject(declared) && NEEDS_SESSION.some((capability) => declared[capability] !== undefined);
}

/** Whom the flags are asked for. The bucket is the same for a client from one call to the next, and tells nothing of it. */
export async function flagSubject({ request, ctx }: Asked<unknown>, era: Era, json: unknown): Promise<FlagSubject> {
  const subject = subjectOf(ctx.props);
  const { name, version } = clientOf(json);
  const identity =
    subject ?? `${request.headers.get('cf-connecting-ip') ?? ''} ${request.headers.get('user-agent') ?? ''}`;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`bucket of ${identity}`));
  return {
    bucket: Array.from(new Uint8Array(digest).subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join(''),
    era,
    // Cut: a client may call itself anything, and an isolate remembers whom it has asked for.
    ...(name !== undefined && { clientName: cleanText(name) }),
    ...(version !== undefined && { clientVersion: cleanText(version) }),
    ...(subject !== undefined && { subject }),
  };
}

export function clientOf(json: unknown): { readonly name?: string; readonly version?: string } {
  const params = isPlainObject(json) ? json['params'] : undefined;
  const info = isPlainObject(params) ? params['clientInfo'] : undefined;
  if (!isPlainObject(info)) return {};
  const { name, version } = info;
  return { ...(typeof name === 'string' && { name }), ...(typeof version === 'string' && { version }) };
}
