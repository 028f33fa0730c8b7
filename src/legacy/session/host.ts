/** One session of an agent: whose it is, where it is served, when it ends. Everything that `sessionAgent` adds happens here. */
import type { SessionStanding } from '../../state/transfer.ts';
import { IF_BEGUN, type EnterOptions, type Entry } from '../entrance.ts';
import {
  condemn,
  endSession,
  STORED,
  transportOf,
  type AgentTransport,
  type AnyMcpAgent,
  type TransportMessage,
} from '../package-internals.ts';
import { SecondAlarm } from './alarm.ts';
import { SessionEventStore } from './event-store.ts';
import { SessionExpiry } from './expiry.ts';
import type { AgentEnv, Caller, SessionRecord, SessionSettings } from './options.ts';
import { KeptValue, SESSION_KEY } from './record.ts';
import { dropAnswer, endCancelled, endResumed, endStream, isOpen } from './streams.ts';

/** What a session needs of the agent that it is on. */
export interface HostedAgent {
  readonly agent: AnyMcpAgent;
  readonly storage: DurableObjectStorage;
  readonly env: AgentEnv;
  /** The package's own end of a session, without what a subclass adds to it. */
  readonly terminate: () => Promise<void>;
}

export class SessionHost {
  readonly events: SessionEventStore;
  readonly expiry: SessionExpiry;
  /** Called before a session goes back to the legacy lane. If it throws, the session stays where it is. */
  beforeTakeBack: (() => Promise<void>) | undefined;
  /** Called when a session has gone back to the legacy lane. */
  afterTakeBack: (() => Promise<void>) | undefined;
  readonly #hosted: HostedAgent;
  readonly #settings: SessionSettings;
  readonly #record: KeptValue<SessionRecord>;
  readonly #alarm: SecondAlarm;

  constructor(hosted: HostedAgent, settings: SessionSettings) {
    const { agent, storage, env } = hosted;
    this.#hosted = hosted;
    this.#settings = settings;
    const idleMs = settings.idleMs(env);
    this.#record = new KeptValue(storage, SESSION_KEY, () => settings.moveEarlier(agent, storage));
    this.expiry = new SessionExpiry(storage, () => this.record.idleMs ?? idleMs);
    this.#alarm = new SecondAlarm(agent, storage, () => this.expiry.endsAt);
    this.events = new SessionEventStore(
      storage,
      {
        isOpen: async (streamId) => isOpen(agent, streamId),
        end: (streamId) => endStream(agent, streamId),
        endResumed: (streamId) => endResumed(agent, streamId),
      },
      settings.workarounds,
    );
  }

  get record(): SessionRecord {
    return this.#record.get() ?? {};
  }

  /** True while the session is handed to the stateless lanes. */
  get isDrained(): boolean {
    return this.record.drained === true;
  }

  get wakesQuietly(): boolean {
    return this.#settings.workarounds.quietWake;
  }

  get #isOldTransport(): boolean {
    return this.#hosted.agent.getTransportType() === 'sse';
  }

  /** Also of an agent that has not started. */
  async owner(): Promise<string | undefined> {
    return this.#settings.subjectOf(await this.#hosted.storage.get(STORED.props));
  }

  /** The request that the session began with, drained or not. */
  async begunBy(): Promise<unknown> {
    return this.#isOldTransport ? this.expiry.usedAt : this.#hosted.storage.get(STORED.initializeRequest);
  }

  /** A client's request or stream has reached the agent. */
  async used(): Promise<void> {
    if (this.expiry.used()) await this.#alarm.set();
    // A session of the old transport has no other sign that it has begun.
    else if (this.#isOldTransport && this.expiry.usedAt === undefined) this.expiry.write(Date.now());
  }

  /**
   * Runs the object's alarm: the end of a session that nobody has used for its idle time, or the package's jobs.
   * @param jobs The package's alarm.
   */
  async alarm(jobs: () => Promise<void>): Promise<void> {
    const now = Date.now();
    const endsAt = this.expiry.endsAt;
    // A stream that a client holds open is a use.
    if (endsAt !== undefined && this.#isConnected) this.expiry.write(now);
    // Without the state: what was handed off belongs to its new owner, which expires it by its own last use.
    else if (endsAt !== undefined && now >= endsAt) return this.end();
    try {
      await jobs();
    } finally {
      await this.#alarm.set();
    }
  }

  get #isConnected(): boolean {
    for (const _connection of this.#hosted.agent.getConnections()) return true;
    return false;
  }

  /** Starts the agent for a caller, unless the session is somebody else's. */
  async enter(props: Record<string, unknown> | undefined, options?: EnterOptions): Promise<Entry> {
    // Before it starts, since the properties that it starts with take the place of the owner's.
    const foreign = !(await this.#isOwnedBy(this.#settings.subjectOf(props)));
    if (foreign || (options?.mustExist === true && !(await this.exists()))) {
      return { begunBy: undefined, admitted: false };
    }
    const { agent } = this.#hosted;
    // A caller without properties does not take the place of one with them.
    await agent.__unsafe_ensureInitialized(isEmpty(props) ? undefined : props);
    return { begunBy: this.isDrained ? undefined : await this.begunBy(), admitted: true };
  }

  /** Whether to answer with 404: asked so only for callers without properties, who are no subject. */
  async refuses(request: Request): Promise<boolean> {
    if (!request.headers.has(IF_BEGUN)) return false;
    return this.isDrained || !(await this.exists()) || !(await this.#isOwnedBy(undefined));
  }

  /**
   * The properties to start with. The platform gives a caller without a sign-in empty ones, and tools may count on that
   * they are there.
   */
  async propsToStart(props: Record<string, unknown> | undefined): Promise<Record<string, unknown> | undefined> {
    if (!isEmpty(props)) return props;
    return (await this.#hosted.storage.get(STORED.props)) === undefined ? {} : undefined;
  }

  /**
   * Has the server answer the session's `initialize` once more, so that it knows its client after the agent has slept.
   * Nobody waits for that answer: the package's transport finds no stream for it, and reports that as an error.
   */
  async remindServer(): Promise<void> {
    const request = await this.#hosted.storage.get<TransportMessage>(STORED.initializeRequest);
    const transport = transportOf(this.#hosted.agent);
    if (request === undefined || transport === undefined) return;
    dropAnswer(transport, request.id);
    transport.onmessage?.(request);
  }

  /** Called with each start of the agent, when its transport is there. */
  started(): void {
    const transport = transportOf(this.#hosted.agent);
    if (transport === undefined || !this.#settings.workarounds.cancelledCalls) return;
    const deliver = transport.onmessage;
    transport.onmessage = (message, extra) => {
      deliver?.call(transport, message, extra);
      const requestId = cancelledBy(message);
      if (requestId !== undefined) this.#endCancelled(transport, requestId);
    };
  }

  #endCancelled(transport: AgentTransport, requestId: string | number): void {
    endCancelled(this.#hosted.agent, transport, requestId, (streamId) => this.events.forget(streamId)).catch(
      this.#settings.onError,
    );
  }

  /** True while the session exists, drained or not. */
  async exists(): Promise<boolean> {
    if ((await this.begunBy()) !== undefined) return true;
    // Asking has woken an agent that has nothing to do, and waking writes: nothing may stay behind.
    await condemn(this.#hosted.agent, this.#hosted.storage);
    return false;
  }

  /** True as well for a session that does not exist: there is nothing to keep from the caller. */
  async admits(subject: string | undefined): Promise<boolean> {
    return !(await this.exists()) || this.#isOwnedBy(subject);
  }

  /** A session that has no owner admits everybody who knows its id. */
  async #isOwnedBy(subject: string | undefined): Promise<boolean> {
    const owner = await this.owner();
    return owner === undefined || owner === subject;
  }

  async standing(caller?: Caller): Promise<SessionStanding> {
    if (!(await this.exists())) return 'gone';
    if (caller !== undefined && !(await this.#isOwnedBy(caller.subject))) return 'foreign';
    if (!this.isDrained) return 'live';
    // Asked with each request that still comes under the id of a drained session: it is in use.
    await this.used();
    return 'drained';
  }

  /** False if there is no such session. */
  async setDrained(drained: boolean): Promise<boolean> {
    if (!(await this.exists())) return false;
    if (!drained) await this.beforeTakeBack?.();
    this.#record.set({ ...this.record, drained });
    if (!drained) await this.afterTakeBack?.();
    return true;
  }

  /**
   * Hands a session that has just begun to the stateless lanes.
   * @param idleMs An idle time of its own.
   */
  async beginDrained(idleMs?: number): Promise<void> {
    this.#record.set({ ...this.record, drained: true, ...(idleMs !== undefined && { idleMs }) });
    await this.used();
  }

  async end(): Promise<void> {
    await endSession(this.#hosted.agent, this.#hosted.storage, this.#hosted.terminate);
    this.expiry.forget();
    await this.#settings.onSessionEnd(this.#hosted.env, this.#hosted.agent.getSessionId());
  }
}

/** The request that a message cancels, if it cancels one. */
function cancelledBy({ method, params }: TransportMessage): string | number | undefined {
  if (method !== 'notifications/cancelled') return undefined;
  return (params as { readonly requestId?: string | number } | undefined)?.requestId;
}

const isEmpty = (props: object | undefined): boolean => props === undefined || Object.keys(props).length === 0;
