/**
 * Ends streams that the package leaves open: of a cancelled call, and of a resumed call that has been answered.
 * A stream is a WebSocket between the Worker and the agent; the Worker ends the client's stream when it closes.
 */
import {
  connectionsOf,
  SESSION_STREAM,
  type AgentTransport,
  type AnyMcpAgent,
  type TransportMessage,
} from '../package-internals.ts';

type Agent = Pick<AnyMcpAgent, 'getConnections' | 'getStreamRequestIds' | 'deleteStreamRequestIds'>;

export async function isOpen(agent: Agent, streamId: string): Promise<boolean> {
  return streamId === SESSION_STREAM || (await agent.getStreamRequestIds(streamId)) !== undefined;
}

export function endStream(agent: Agent, streamId: string): void {
  for (const connection of connectionsOf(agent)) {
    if (connection.state?.streamId === streamId) connection.close(1000, 'Stream ended');
  }
}

/**
 * Ends connections that took a stream over with `Last-Event-ID`; the first connection of a stream ends by itself.
 * True while connections are left that took over another stream.
 */
export function endResumed(agent: Agent, streamId: string): boolean {
  let others = false;
  for (const connection of connectionsOf(agent)) {
    const taken = connection.state?.streamId;
    if (taken === undefined || taken === SESSION_STREAM || taken === connection.id) continue;
    if (taken === streamId) connection.close(1000, 'Stream ended');
    else others = true;
  }
  return others;
}

/**
 * A cancelled call is never answered (spec 2025-11-25, basic/utilities/cancellation), so nothing else would end its
 * stream. In a batch the other calls are still to be answered, and an error takes the cancelled one's place.
 */
export async function endCancelled(
  agent: Agent,
  transport: AgentTransport,
  requestId: string | number,
  forget: (streamId: string) => Promise<void>,
): Promise<void> {
  for (const connection of connectionsOf(agent)) {
    const { streamId, requestIds } = connection.state ?? {};
    if (streamId === undefined || requestIds?.includes(requestId) !== true) continue;
    if (requestIds.length > 1) {
      await transport.send({ jsonrpc: '2.0', id: requestId, error: { code: -32000, message: 'Request cancelled' } });
      return;
    }
    connection.close(1000, 'Request cancelled');
    await agent.deleteStreamRequestIds(streamId);
    await forget(streamId);
  }
}

/** Drops the next answer to a request, instead of sending it. */
export function dropAnswer(transport: AgentTransport, requestId: TransportMessage['id']): void {
  const send = transport.send.bind(transport);
  let isDropped = false;
  // It stays, since others may have put themselves before it meanwhile.
  transport.send = async (message, options) => {
    const { id, method } = message as TransportMessage;
    if (isDropped || id !== requestId || method !== undefined) return send(message, options);
    isDropped = true;
  };
}
