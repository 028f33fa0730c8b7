/** The compat lane: a 2025 client on `createMcpHandler`. No way back to the client, so no questions. */
import { DEFAULT_NEGOTIATED_PROTOCOL_VERSION } from '@modelcontextprotocol/server';
import type { LiveCall, StateCall, StateOutcome } from '../shared/pipeline/ports.ts';
import { handleOfSession, isIssuedSessionId, newHandle } from '../state/handle.ts';
import { sealingKey } from '../state/secret.ts';
import { applyAt, applyOutsideSession } from '../state/state-port.ts';
import { commonPorts, stateCaller, type Exchange, type ExchangeBase } from './exchange.ts';

export function compatExchange(base: ExchangeBase): Exchange {
  return {
    catalogue: base.catalogue,
    method: base.call.message.method,
    onError: base.onError,
    onVerdict: (verdict) => base.call.onVerdict?.(verdict),
    ports: (ctx) => ({
      ...commonPorts(base, ctx),
      client: undefined,
      // What `initialize` agreed on is not kept; clients repeat it (spec 2025-11-25, basic/transports, "Protocol Version Header").
      version: ctx.http?.req?.headers.get('mcp-protocol-version') ?? DEFAULT_NEGOTIATED_PROTOCOL_VERSION,
      ask: { kind: 'none', otherwiseAt: base.sessionsAt },
      state: { apply: (call, live) => apply(base, call, live) },
    }),
    ask: () => Promise.reject(new TypeError('The compat lane cannot ask')),
  };
}

async function apply(base: ExchangeBase, call: StateCall, live: LiveCall | undefined): Promise<StateOutcome> {
  const { env, sessionId, agent } = base.call;
  const caller = stateCaller(base);
  const outside = applyOutsideSession(env, call, caller, live);
  if (outside !== undefined) return outside;
  if (sessionId === undefined) return applyAt(env, call.handle ?? newHandle(), call, caller, live);
  const own = await handleOfSession(sessionId);
  // The agent of a drained session has the state of that session, and of no other handle.
  if (agent !== undefined)
    return applyAt(env, call.handle ?? own, call, { ...caller, ...(isOwn(call, own) && { agent }) }, live);
  if (call.handle !== undefined) return applyAt(env, call.handle, call, caller, live);
  if (await isIssuedSessionId(await sealingKey(env), sessionId)) return applyAt(env, own, call, caller, live);
  // Invented, or given out by a version that did not seal its ids: such an id names a state only if there is one.
  const known = await applyAt(env, own, { ...call, handle: own }, caller, live);
  const isUnknown = !known.ok && known.fault.fault === 'unknown_handle';
  return isUnknown ? applyAt(env, newHandle(), call, caller, live) : known;
}

const isOwn = ({ handle }: StateCall, own: string): boolean => handle === undefined || handle === own;
