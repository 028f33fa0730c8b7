/** The legacy lane: an `McpAgent`, one Durable Object a session, that serves the catalogue and keeps the session's state. */
import type { Connection, ConnectionContext } from 'agents';
import { McpAgent } from 'agents/mcp';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import { LOG_LEVELS, type LogLevel, type World } from '../shared/define/context.ts';
import type { Json } from '../shared/json.ts';
import type { CallPorts, StateCall, StateOutcome } from '../shared/pipeline/ports.ts';
import type { Reporter } from '../shared/pipeline/report.ts';
import { reduceState } from '../shared/state/reduce.ts';
import { handleOfSession } from '../state/handle.ts';
import { idleMs, type IdleVars } from '../state/idle.ts';
import { applyAt, type StateEnv } from '../state/state-port.ts';
import { pushPort } from './ask.ts';
import { SessionExpiry } from './expiry.ts';
import { SessionEventStore } from './event-store.ts';
import { createLegacyServer, type LegacyExtra } from './server.ts';
import { endCancelled, endResumed, endStream, isOpen } from './streams.ts';

/** What a session keeps, in the agent's own state, where an `McpAgent` in production has it. */
export interface SessionState {
  readonly states: Readonly<Record<string, Json>>;
  readonly logLevel?: LogLevel;
}

export interface LegacyLaneOptions {
  readonly catalogue: Catalogue;
  readonly world: World;
  readonly report: Reporter;
  /** How long a question waits for the user. */
  readonly askTimeoutMs?: number;
}

/** Ten minutes: what the v2 SDK gives a person to answer. */
const DEFAULT_ASK_TIMEOUT_MS = 600_000;

/** The class to export from the Worker, for the catalogue that it serves. */
export function legacyAgentFor(options: LegacyLaneOptions) {
  const { catalogue, world, report } = options;

  return class LegacyAgent extends McpAgent<Cloudflare.Env & StateEnv & IdleVars, SessionState> {
    override initialState: SessionState = { states: {} };
    private readonly expiry = new SessionExpiry(this.ctx.storage, idleMs(this.env), {
      wakeAt: async (at) => {
        await this.schedule(at, 'expireIfIdle', undefined, { idempotent: true });
      },
      end: () => this._cf_terminateSession(),
    });
    override server: Server = createLegacyServer({
      catalogue,
      ports: (extra) => this.portsFor(extra),
      setLogLevel: (logLevel) => this.setState({ ...this.state, logLevel }),
      onError: (cause) => report({ fault: 'lane_error', tool: undefined, cause }),
    });

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

    /** Called by the alarm that `expiry` sets. */
    async expireIfIdle(): Promise<void> {
      await this.expiry.check([...this.getConnections()].length > 0);
    }

    protected override getEventStore() {
      return new SessionEventStore(this.ctx.storage, {
        isOpen: async (streamId) => isOpen(this, streamId),
        end: (streamId) => endStream(this, streamId),
        endResumed: (streamId) => endResumed(this, streamId),
      });
    }

    private portsFor(extra: LegacyExtra): CallPorts {
      extra.signal.addEventListener('abort', () => {
        endCancelled(this, extra.requestId).catch((cause: unknown) =>
          report({ fault: 'lane_error', tool: undefined, cause }),
        );
      });
      const progressToken = extra._meta?.progressToken;
      const client = this.server.getClientVersion();
      return {
        world,
        signal: extra.signal,
        client: client === undefined ? undefined : { name: client.name, version: client.version },
        subject: undefined,
        ask: pushPort({
          extra,
          capabilities: this.server.getClientCapabilities(),
          timeoutMs: options.askTimeoutMs ?? DEFAULT_ASK_TIMEOUT_MS,
          awake: (work) => this.keepAliveWhile(work),
          report,
        }),
        state: { apply: (call) => this.applyState(call) },
        report,
        ...(progressToken !== undefined && {
          progress: (update) =>
            extra.sendNotification({ method: 'notifications/progress', params: { progressToken, ...update } }),
        }),
        log: async (level, data) => {
          if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(this.state.logLevel ?? 'debug')) return;
          await extra.sendNotification({
            method: 'notifications/message',
            params: { level, data, logger: catalogue.info.name },
          });
        },
      };
    }

    private async applyState(call: StateCall): Promise<StateOutcome> {
      const own = await handleOfSession(this.getSessionId());
      if (call.handle !== undefined && call.handle !== own) return applyAt(this.env, call.handle, call);
      // From here to setState nothing waits, so no other call can come between the read and the write.
      const tool = catalogue.tools.get(call.tool);
      if (tool?.kind !== 'stateful') return { ok: false, fault: { fault: 'unknown_tool', tool: call.tool } };
      const outcome = reduceState(tool, this.state.states[tool.state.name], call.args, world);
      if (!outcome.ok) return outcome;
      if (outcome.next !== undefined)
        this.setState({ ...this.state, states: { ...this.state.states, [tool.state.name]: outcome.next } });
      return { ok: true, reply: outcome.reply, handle: own };
    }
  };
}
