/** The compat lane: a 2025 client on `createMcpHandler`. No way back to the client, so no questions. */
import { handleOfSession, newHandle } from '../state/handle.ts';
import { applyAt } from '../state/state-port.ts';
import { callerOf, commonPorts, methodOf, type ExchangeBase } from './exchange.ts';
import type { Exchange } from './server.ts';

export function compatExchange(base: ExchangeBase): Exchange {
  const { env, sessionId, agent, body } = base.call;
  const caller = { ...callerOf(base), ...(agent !== undefined && { agent }) };
  return {
    method: methodOf(body),
    onError: base.onError,
    ports: (ctx) => ({
      ...commonPorts(base, ctx),
      client: undefined,
      ask: { kind: 'none', because: 'lane' },
      state: {
        apply: async (call) =>
          applyAt(
            env,
            call.handle ?? (sessionId === undefined ? newHandle() : await handleOfSession(sessionId)),
            call,
            caller,
          ),
      },
    }),
    ask: () => Promise.reject(new TypeError('The compat lane cannot ask')),
  };
}
