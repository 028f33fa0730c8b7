/** A request as the class sees it: its caller and its client. Pure. */
import type { HostedCaller, HostedServer } from '../lane/hosting.ts';
import { isPlainObject } from '../shared/json.ts';
import { clientOf, ENVELOPE_KEY, type Message } from '../shared/message.ts';
import type { Asked } from './contract.ts';

export function hostedCaller(asked: Asked, capabilities: Readonly<Record<string, unknown>>): HostedCaller {
  const { request, caller, message } = asked;
  const client = clientOf(message);
  return {
    props: caller.properties ?? {},
    ...(client !== undefined && { client }),
    capabilities,
    headers: Object.fromEntries(request.headers),
    url: request.url,
  };
}

/** As SDK v1 reads them: an empty `elicitation` means forms. */
export function capabilitiesOf({ envelope }: Message): Readonly<Record<string, unknown>> {
  const declared = envelope?.[ENVELOPE_KEY.capabilities];
  if (!isPlainObject(declared)) return {};
  const { elicitation } = declared;
  const isBare = isPlainObject(elicitation) && Object.keys(elicitation).length === 0;
  return isBare ? { ...declared, elicitation: { form: {} } } : declared;
}

/** What a client may declare that only a session can carry (spec 2025-11-25, client). */
const NEEDS_SESSION = ['elicitation', 'sampling', 'roots'] as const;

export function declaresSession({ params }: Message): boolean {
  const declared = params['capabilities'];
  return isPlainObject(declared) && NEEDS_SESSION.some((capability) => declared[capability] !== undefined);
}

/** What one of the objects that callers share says outside of calls, nobody can listen to: it may be another's next time. */
export function withoutChanges(server: HostedServer): HostedServer {
  const capabilities = Object.entries(server.capabilities).map(([name, capability]) => {
    if (!isPlainObject(capability)) return [name, capability] as const;
    const { listChanged: _changed, subscribe: _subscribe, ...others } = capability;
    return [name, others] as const;
  });
  return { ...server, capabilities: Object.fromEntries(capabilities) as HostedServer['capabilities'] };
}

/** Whether the package would begin a session for these headers. */
export function canBegin({ request: { headers }, sessionId }: Pick<Asked, 'request' | 'sessionId'>): boolean {
  const accept = headers.get('accept') ?? '';
  const reads = ['application/json', 'text/event-stream'].every((type) => accept.includes(type));
  return sessionId === null && reads && headers.get('content-type')?.includes('application/json') === true;
}
