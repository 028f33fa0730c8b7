/**
 * The event store of a legacy session, made safe for large messages. The package writes every outgoing message to
 * storage before sending it, and a value over about 2 MB is refused there: the message is then never sent and the
 * stream stays open for ever (https://github.com/cloudflare/agents/issues/546).
 */
import { DurableObjectEventStore } from 'agents/mcp';

type Message = Parameters<DurableObjectEventStore['storeEvent']>[1];

/** A stored string takes up to two bytes a UTF-16 unit, and the limit is 2 MB with the envelope. */
const MAX_STORED_UNITS = 1_000_000;

export class BoundedEventStore extends DurableObjectEventStore {
  /** An empty id for a message that is too large to store: it is sent, and only cannot be replayed after a drop. */
  override async storeEvent(streamId: string, message: Message): Promise<string> {
    if (JSON.stringify(message).length > MAX_STORED_UNITS) return '';
    return super.storeEvent(streamId, message);
  }
}
