/** The compat lane: a 2025 client on `createMcpHandler`. No way back to the client, so no questions. */
import { DEFAULT_NEGOTIATED_PROTOCOL_VERSION } from '@modelcontextprotocol/server';
import { handleOfSession, newHandle } from '../state/handle.ts';
import { applyAt } from '../state/state-port.ts';
import { commonPorts, stateCaller, type Exchange, type ExchangeBase } from './exchange.ts';

export function compatExchange(base: ExchangeBase): Exchange {
  const { env, sessionId, agent, message } = base.call;
  return {
    method: message.method,
    onError: base.onError,
    ports: (ctx) => ({
      ...commonPorts(base, ctx),
      client: undefined,
      // What `initialize` agreed on is not kept; clients repeat it (spec 2025-11-25, basic/transports, "Protocol Version Header").
      version: ctx.http?.req?.headers.get('mcp-protocol-version') ?? DEFAULT_NEGOTIATED_PROTOCOL_VERSION,
      ask: { kind: 'none', because: 'lane' },
      state: {
        apply: async (call) => {
          const own = sessionId === undefined ? undefined : await handleOfSession(sessionId);
          const handle = call.handle ?? own ?? newHandle();
          // The agent of a drained session has the state of that session, and of nobody's handle else.
          const drained = agent !== undefined && handle === own;
          return applyAt(env, handle, call, { ...stateCaller(base), ...(drained && { agent }) });
        },
      },
    }),
    ask: () => Promise.reject(new TypeError('The compat lane cannot ask')),
  };
}
