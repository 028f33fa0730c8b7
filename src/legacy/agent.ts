/** The legacy lane: an `McpAgent`, one Durable Object a session, that serves the catalogue and keeps the session's state. */
import type { Connection, ConnectionContext } from 'agents';
import { McpAgent } from 'agents/mcp';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import { LOG_LEVELS, type World } from '../shared/define/context.ts';
import type { CallPorts } from '../shared/pipeline/ports.ts';
import type { Reporter } from '../shared/pipeline/report.ts';
import type { HeldCall } from '../shared/state/holder.ts';
import type { Asker } from '../shared/state/ownership.ts';
import { handleOfSession } from '../state/handle.ts';
import { idleMs, type IdleVars } from '../state/idle.ts';
import { removeAt, type StateEnv } from '../state/state-port.ts';
import { subjectOf } from '../state/subject.ts';
import type { AgentAnswer, SessionAgentApi, SessionStanding } from '../state/transfer.ts';
import { pushPort } from './ask.ts';
import { IF_BEGUN, type EnteredAgent } from './entrance.ts';
import { SessionExpiry } from './expiry.ts';
import { SessionEventStore } from './event-store.ts';
import { createLegacyServer, type LegacyExtra } from './server.ts';
import { SessionStates, UNTOUCHED, type SessionState } from './session-state.ts';
import { endCancelled, endResumed, endStream, isOpen } from './streams.ts';

export interface LegacyLaneOptions {
  readonly catalogue: Catalogue;
  readonly world: World;
  readonly report: Reporter;
  /** Told of each session that ends, however it ends. */
  readonly onSessionEnd?: (env: object, sessionId: string) => Promise<void>;
  /** How long a question waits for the user. */
  readonly askTimeoutMs?: number;
}

/** Ten minutes: what the v2 SDK gives a person to answer. */
const DEFAULT_ASK_TIMEOUT_MS = 600_000;

/** The class to export from the Worker, for the catalogue that it serves. */
export function legacyAgentFor(options: LegacyLaneOptions) {
  const { catalogue, world, report } = options;

  return class LegacyAgent
    extends McpAgent<Cloudflare.Env & StateEnv & IdleVars, SessionState | undefined>
    implements SessionAgentApi, EnteredAgent
  {
    private readonly expiry = new SessionExpiry(this.ctx.storage, idleMs(this.env), {
      wakeAt: async (at) => {
        // A new row each time: the alarm that is running would take the old one away with its own.
        await this.schedule(at, 'expireIfIdle', undefined, { idempotent: false });
      },
      // Without the state: what was handed off is its new owner's, and ends by the time that it was used last.
      end: () => this.terminate(),
    });
    private readonly states = new SessionStates({
      env: this.env,
      catalogue,
      world,
      sessionId: () => this.getSessionId(),
      name: () => this.name,
      subject: () => subjectOf(this.props),
      read: () => this.kept,
      write: (state) => this.keep(state),
    });
    private readonly events = new SessionEventStore(this.ctx.storage, {
      isOpen: async (streamId) => isOpen(this, streamId),
      end: (streamId) => endStream(this, streamId),
      endResumed: (streamId) => endResumed(this, streamId),
    });
    override server: Server = createLegacyServer({
      catalogue,
      ports: (extra) => this.portsFor(extra),
      setLogLevel: (logLevel) => this.keep({ ...this.kept, logLevel }),
      onError: (cause) => report({ fault: 'lane_error', tool: undefined, cause }),
    });

    private remembered: SessionState | undefined;

    /**
     * What the session keeps. Not the agent's initial state, which the package writes down for every session, though most
     * never keep anything; and remembered, since the package looks up a state that is not there again and again.
     */
    private get kept(): SessionState {
      this.remembered ??= this.state ?? UNTOUCHED;
      return this.remembered;
    }

    private keep(state: SessionState): void {
      this.setState(state);
      this.remembered = state;
    }

    /** Nothing to set up: the server is complete from the start. */
    override async init(): Promise<void> {}

    override async onConnect(connection: Connection, context: ConnectionContext): Promise<void> {
      await this.expiry.used();
      await super.onConnect(connection, context);
    }

    override async onSSEMcpMessage(...message: Parameters<McpAgent['onSSEMcpMessage']>): Promise<Error | null> {
      await this.expiry.used();
      return super.onSSEMcpMessage(...message);
    }

    /** Asked so only for callers without properties, who are no subject. */
    override async fetch(request: Request): Promise<Response> {
      if (request.headers.has(IF_BEGUN)) {
        const begunBy = await this.getInitializeRequest();
        if (begunBy === undefined || subjectOf(this.props) !== undefined) return new Response(null, { status: 404 });
      }
      return super.fetch(request);
    }

    async _enter(props: Record<string, unknown> | undefined): Promise<{ readonly begunBy: unknown }> {
      // Before it starts, since the properties that it starts with take the place of the owner's.
      const owner = subjectOf(await this.ctx.storage.get('props'));
      if (owner !== undefined && owner !== subjectOf(props)) return { begunBy: undefined };
      await this.__unsafe_ensureInitialized(props);
      return { begunBy: await this.getInitializeRequest() };
    }

    override async setInitializeRequest(...request: Parameters<McpAgent['setInitializeRequest']>): Promise<void> {
      this.events.beginSession();
      await super.setInitializeRequest(...request);
    }

    /** A drained session is unknown to the package, so its next request falls to the stateless lanes. */
    override async getInitializeRequest() {
      return this.kept.drained === true ? undefined : super.getInitializeRequest();
    }

    async applyOrRelease(call: HeldCall, asker: Asker): Promise<AgentAnswer> {
      if (!(await this.isSession())) return { kind: 'gone' };
      // Whoever goes on by the handle alone has left the session. It must not hold the state until it ends, nor be kept
      // from ending. A session of the old transport cannot be drained, so its state leaves at once.
      const follows = this.getTransportType() === 'sse' || this.expiry.isQuiet;
      return this.states.applyOrRelease(call, asker, { follows });
    }

    async isSession(): Promise<boolean> {
      const begun = this.getTransportType() === 'sse' ? this.expiry.begun : await super.getInitializeRequest();
      if (begun !== undefined) return true;
      // Asking has woken an agent that has nothing to do, and waking writes: nothing may stay behind. One that has just
      // taken itself down has no table left to write that into.
      if ((this as unknown as { _destroyed?: boolean })._destroyed !== true) await this._cf_scheduleDestroy();
      return false;
    }

    async admits(subject: string | undefined): Promise<boolean> {
      if (!(await this.isSession())) return true;
      const owner = subjectOf(this.props);
      return owner === undefined || owner === subject;
    }

    async standing(): Promise<SessionStanding> {
      if (!(await this.isSession())) return 'gone';
      if (this.kept.drained !== true) return 'live';
      // Asked with each request that still comes under the id of a drained session: it is in use.
      await this.expiry.used();
      return 'drained';
    }

    async drain(): Promise<boolean> {
      if (!(await this.isSession())) return false;
      this.keep({ ...this.kept, drained: true });
      return true;
    }

    async takeBack(): Promise<boolean> {
      if (!(await this.isSession())) return false;
      this.keep({ ...this.kept, drained: false });
      return true;
    }

    /** Also by DELETE: the state goes with the session. */
    override async _cf_terminateSession(): Promise<void> {
      const { bound, drained } = this.kept;
      if (bound === true || drained !== undefined) await removeAt(this.env, await handleOfSession(this.getSessionId()));
      await this.terminate();
    }

    private async terminate(): Promise<void> {
      await super._cf_terminateSession();
      await options.onSessionEnd?.(this.env, this.getSessionId());
    }

    async endSession(): Promise<void> {
      await this._cf_terminateSession();
    }

    /** Called by the alarm that `expiry` sets. */
    async expireIfIdle(): Promise<void> {
      await this.expiry.check([...this.getConnections()].length > 0);
    }

    /** The package calls this when a posted request opens its stream, and only then. */
    override async setStreamRequestIds(...stream: Parameters<McpAgent['setStreamRequestIds']>): Promise<void> {
      this.events.begin(stream[0]);
      await super.setStreamRequestIds(...stream);
    }

    protected override getEventStore() {
      return this.events;
    }

    private portsFor(extra: LegacyExtra): CallPorts {
      extra.signal.addEventListener('abort', () => {
        endCancelled(this, extra.requestId, (streamId) => this.events.forget(streamId)).catch((cause: unknown) =>
          report({ fault: 'lane_error', tool: undefined, cause }),
        );
      });
      const progressToken = extra._meta?.progressToken;
      const client = this.server.getClientVersion();
      return {
        world,
        signal: extra.signal,
        client: client === undefined ? undefined : { name: client.name, version: client.version },
        subject: subjectOf(this.props),
        ask: pushPort({
          extra,
          capabilities: this.server.getClientCapabilities(),
          timeoutMs: options.askTimeoutMs ?? DEFAULT_ASK_TIMEOUT_MS,
          awake: (work) => this.keepAliveWhile(work),
          report,
        }),
        state: { apply: (call) => this.states.apply(call) },
        report,
        ...(progressToken !== undefined && {
          progress: (update) =>
            extra.sendNotification({ method: 'notifications/progress', params: { progressToken, ...update } }),
        }),
        log: async (level, data) => {
          if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(this.kept.logLevel ?? 'debug')) return;
          await extra.sendNotification({
            method: 'notifications/message',
            params: { level, data, logger: catalogue.info.name },
          });
        },
      };
    }
  };
}
