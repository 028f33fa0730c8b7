/**
 * The event store of a legacy session, with three workarounds for the package's own:
 * - `largeMessages`: a message over about 2 MB cannot be stored, and the package would then never send it and keep its
 *   stream open (https://github.com/cloudflare/agents/issues/546): here it is sent without an id.
 * - `answeredCalls`: events are cleared as soon as a call is answered, and nobody notices that its client had gone: here
 *   the last few answered calls can still be taken up again.
 * - `resumedStreams`: a resumed stream is kept open after the last answer was replayed: here it is ended.
 * And it looks nothing up for a stream that began since the object woke: the package lists a stream's events before its
 * first and twice after its last.
 */
import { DurableObjectEventStore } from 'agents/mcp';
import { EVENT_NUMBER_DIGITS, STORED } from '../package-internals.ts';

type Message = Parameters<DurableObjectEventStore['storeEvent']>[1];
type Replay = Parameters<DurableObjectEventStore['replayEventsAfter']>[1];

/** A stored string takes up to two bytes a UTF-16 unit, and the limit is 2 MB with the envelope. */
const MAX_STORED_UNITS = 1_000_000;
/** Answered calls that can still be taken up; each keeps its progress messages and its answer in storage. */
const MAX_ANSWERED_STREAMS = 8;
/** The platform deletes at most so many keys at once. */
const DELETE_CHUNK = 128;
/** More events than the kept streams have in practice; a session that has more keeps the rest until it ends. */
const SCAN_LIMIT = 1000;

/** What the store has to know of the session's connections. */
export interface StreamOwner {
  /** True while a call on the stream has no answer yet, and always for the session's own stream. */
  isOpen(streamId: string): Promise<boolean>;
  /** Ends the client's connection to the stream. */
  end(streamId: string): void;
  /**
   * The same for a connection that took the stream over with `Last-Event-ID`; the first one ends by itself. True while
   * there are connections that took over another stream.
   */
  endResumed(streamId: string): boolean;
}

/** Which of the workarounds are on. */
export interface EventStoreRepairs {
  readonly largeMessages: boolean;
  readonly answeredCalls: boolean;
  readonly resumedStreams: boolean;
}

export class SessionEventStore extends DurableObjectEventStore {
  readonly #storage: DurableObjectStorage;
  readonly #owner: StreamOwner;
  readonly #repairs: EventStoreRepairs;
  /** Whether a stream may have been taken over; also before the object was last put to sleep. Looking costs. */
  #resumed = true;
  #answered: Promise<string[]> | undefined;
  /** The keys of the events of streams that began since the object woke. */
  readonly #written = new Map<string, string[]>();

  constructor(storage: DurableObjectStorage, owner: StreamOwner, repairs: EventStoreRepairs) {
    super(storage);
    this.#storage = storage;
    this.#owner = owner;
    this.#repairs = repairs;
  }

  /** To be called where the session begins: it has no streams of an earlier time. */
  beginSession(): void {
    this.#answered ??= Promise.resolve([]);
  }

  /** To be called before the first event of a stream that did not exist before. */
  begin(streamId: string): void {
    this.#written.set(streamId, []);
  }

  /** An empty id for a message that is too large to store: it is sent, and only cannot be replayed after a drop. */
  override async storeEvent(streamId: string, message: Message): Promise<string> {
    if (this.#repairs.largeMessages && JSON.stringify(message).length > MAX_STORED_UNITS) return '';
    const written = this.#written.get(streamId);
    if (written === undefined) return super.storeEvent(streamId, message);
    const eventId = `${streamId}:${(written.length + 1).toString(16).padStart(EVENT_NUMBER_DIGITS, '0')}`;
    const key = STORED.eventPrefix + eventId;
    written.push(key);
    await this.#storage.put(key, message);
    return eventId;
  }

  /** The package calls this once a call is answered. The oldest answered call makes room for this one. */
  override async clearStream(streamId: string): Promise<void> {
    if (this.#repairs.resumedStreams && this.#resumed) this.#resumed = this.#owner.endResumed(streamId);
    if (!this.#repairs.answeredCalls) return this.forget(streamId);
    const answered = await this.#answeredStreams();
    if (!answered.includes(streamId)) answered.push(streamId);
    while (answered.length > MAX_ANSWERED_STREAMS) await this.forget(answered.shift() ?? '');
  }

  /** Drops a stream's events at once: of a call that will never be answered. */
  async forget(streamId: string): Promise<void> {
    const written = this.#written.get(streamId);
    if (written === undefined) return super.clearStream(streamId);
    this.#written.delete(streamId);
    for (let from = 0; from < written.length; from += DELETE_CHUNK) {
      await this.#storage.delete(written.slice(from, from + DELETE_CHUNK));
    }
  }

  override async replayEventsAfter(lastEventId: string, replay: Replay): Promise<string> {
    this.#resumed = true;
    const streamId = await super.replayEventsAfter(lastEventId, replay);
    if (this.#repairs.resumedStreams && !(await this.#owner.isOpen(streamId))) this.#owner.end(streamId);
    return streamId;
  }

  /** Looked up once; a look that failed is not kept, or no stream would be cleared again. */
  async #answeredStreams(): Promise<string[]> {
    this.#answered ??= this.#answeredBefore().catch((error: unknown) => {
      this.#answered = undefined;
      throw error;
    });
    return this.#answered;
  }

  /** What was kept before the session was put to sleep, so that nothing is kept for ever. */
  async #answeredBefore(): Promise<string[]> {
    const keys = [...(await this.#storage.list({ prefix: STORED.eventPrefix, limit: SCAN_LIMIT })).keys()];
    const streams = new Set(keys.map((key) => key.slice(STORED.eventPrefix.length, key.lastIndexOf(':'))));
    const open = await Promise.all([...streams].map(async (streamId) => this.#owner.isOpen(streamId)));
    return [...streams].filter((_, index) => open[index] === false);
  }
}
