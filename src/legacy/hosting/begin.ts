/** Begins a session that no client has asked for by `initialize`: that of a handle, with the first call that names it. */
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';
import type { HostedBeginning, HostedCaller } from '../../lane/hosting.ts';
import type { HostableAgent } from '../package-internals.ts';
import type { SessionHost } from '../session/host.ts';

export interface BeginParts {
  readonly agent: HostableAgent;
  readonly session: SessionHost;
  /** Starts the agent for the caller. */
  readonly start: () => Promise<unknown>;
}

export async function beginHosted(
  { agent, session, start }: BeginParts,
  { client: clientInfo = { name: 'unknown', version: '0' }, capabilities }: HostedCaller,
  { idleMs }: HostedBeginning,
): Promise<void> {
  if ((await session.begunBy()) !== undefined) return;
  try {
    await start();
  } catch (cause) {
    // Nothing may stay behind of a class that cannot start for this caller.
    await session.exists();
    throw cause;
  }
  const params = { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities, clientInfo };
  await agent.setInitializeRequest({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  await session.beginDrained(idleMs);
}
