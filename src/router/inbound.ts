/**
 * A request that was let in, with everything that is read from it: message, era, session, caller, client. Each is read
 * here, once, and handed on; no step behind it looks into the request for one of them again.
 */
import { cleanText } from '../cutover/census/seen.ts';
import type { FlagSubject } from '../cutover/flags/flags.ts';
import type { Era, LegacyHalf, StatelessHalf } from '../lane/contract.ts';
import type { Caller } from '../shared/caller.ts';
import { hexOf, sha256 } from '../shared/digest.ts';
import { clientOf, isInitialize, type Message } from '../shared/message.ts';
import type { ClientInfo } from '../shared/define/context.ts';
import { isPlainObject } from '../shared/json.ts';
import type { DoorConfig } from './config.ts';
import type { Facts, SessionKind } from './decide.ts';
import type { McpRoute } from './routes.ts';

/** A request at a route, before its body was read. */
export interface Arrived<Env> {
  readonly request: Request;
  readonly route: McpRoute;
  readonly env: Env;
  readonly ctx: ExecutionContext;
  readonly config: DoorConfig;
  readonly caller: Caller;
}

export interface Inbound<Env> extends Arrived<Env> {
  /** Undefined for GET and DELETE. */
  readonly message: Message | undefined;
  readonly era: Era;
  /** What the client says of itself, if this request says it. */
  readonly client: ClientInfo | undefined;
  /** The id of the session that the request names; null if it names none. */
  readonly sessionId: string | null;
  /** Whose that id is, by its form. */
  readonly session: SessionKind;
}

export interface Halves<Env> {
  readonly stateless: StatelessHalf<Env>;
  /** Absent once the legacy half has been removed. */
  readonly legacy?: LegacyHalf<Env>;
}

export async function inboundOf<Env>(
  arrived: Arrived<Env>,
  message: Message | undefined,
  halves: Halves<Env>,
): Promise<Inbound<Env>> {
  const sessionId = sessionIdOf(arrived);
  return {
    ...arrived,
    message,
    // GET and DELETE belong to sessions, which only the 2025 protocols have.
    era: message === undefined ? '2025' : await halves.stateless.eraOf(arrived.request, message),
    client: message === undefined ? undefined : clientOf(message),
    sessionId,
    session: sessionKind(arrived, sessionId, halves),
  };
}

/** The id by which a request names its session: in a header, or in the URL where the old transport has it. */
export function sessionIdOf({
  request,
  route,
}: {
  readonly request: Request;
  readonly route: Pick<McpRoute, 'transport'>;
}): string | null {
  if (route.transport === 'streamable') return request.headers.get('mcp-session-id');
  return new URL(request.url).searchParams.get('sessionId');
}

function sessionKind<Env>(
  { env, route }: Arrived<Env>,
  sessionId: string | null,
  { stateless, legacy }: Halves<Env>,
): SessionKind {
  if (sessionId === null) return 'none';
  // The old transport knows sessions of its own only.
  if (stateless.isSessionId(sessionId)) return route.transport === 'streamable' ? 'compat' : 'unknown';
  return legacy?.isSessionId(env, sessionId) === true ? 'legacy' : 'unknown';
}

/** What a client may declare that only a session can carry (spec 2025-11-25, client). */
const NEEDS_SESSION = ['elicitation', 'sampling', 'roots'] as const;

/** What the decision depends on. */
export function factsOf(inbound: Inbound<unknown>, hasLegacy: boolean): Facts {
  const { route, era, session, message, config } = inbound;
  return {
    route: route.route,
    era,
    session,
    opens: isInitialize(message),
    probes: message?.method === 'server/discover',
    needsSession: config.keepSessions && declaresSession(message),
    hasLegacy,
  };
}

function declaresSession(message: Message | undefined): boolean {
  const declared = message?.params['capabilities'];
  return isPlainObject(declared) && NEEDS_SESSION.some((capability) => declared[capability] !== undefined);
}

/** Whom the flags are asked for. The bucket is the same for a client from one call to the next, and tells nothing of it. */
export async function flagSubject({
  request,
  caller,
  client,
  era,
}: Pick<Inbound<unknown>, 'request' | 'caller' | 'client' | 'era'>): Promise<FlagSubject> {
  const { subject } = caller;
  const identity =
    subject ?? `${request.headers.get('cf-connecting-ip') ?? ''} ${request.headers.get('user-agent') ?? ''}`;
  const digest = await sha256(`bucket of ${identity}`);
  return {
    bucket: hexOf(digest.subarray(0, 16)),
    era,
    // Cut: a client may call itself anything, and an isolate remembers whom it has asked for.
    ...(client !== undefined && { clientName: cleanText(client.name) }),
    ...(client !== undefined && client.version !== '' && { clientVersion: cleanText(client.version) }),
    ...(subject !== undefined && { subject }),
  };
}
