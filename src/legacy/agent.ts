/** The legacy lane: an `McpAgent`, one Durable Object a session, that serves the catalogue and keeps the session's state. */
import { McpAgent } from 'agents/mcp';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { ElicitResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import { LOG_LEVELS, type LogLevel, type World } from '../shared/define/context.ts';
import type { Json } from '../shared/json.ts';
import type {
  AskedQuestion,
  AskPort,
  CallPorts,
  RawAnswer,
  StateCall,
  StateOutcome,
} from '../shared/pipeline/ports.ts';
import type { Reporter } from '../shared/pipeline/report.ts';
import { reduceState } from '../shared/state/reduce.ts';
import { handleOfSession } from '../state/handle.ts';
import { applyAt, type StateEnv } from '../state/state-port.ts';
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

  return class LegacyAgent extends McpAgent<Cloudflare.Env & StateEnv, SessionState> {
    override initialState: SessionState = { states: {} };
    override server: Server = createLegacyServer({
      catalogue,
      ports: (extra) => this.portsFor(extra),
      setLogLevel: (logLevel) => this.setState({ ...this.state, logLevel }),
      onError: (cause) => report({ fault: 'lane_error', tool: undefined, cause }),
    });

    /** Nothing to set up: the server is complete from the start. */
    override async init(): Promise<void> {}

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
        ask: this.askPort(extra),
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

    private askPort(extra: LegacyExtra): AskPort {
      if (this.server.getClientCapabilities()?.elicitation === undefined) return { kind: 'none', because: 'client' };
      return { kind: 'push', push: (question, signal) => this.push(extra, question, signal) };
    }

    /** Related to the call, so that it reaches clients that hold no GET stream open. */
    private async push(
      extra: LegacyExtra,
      question: AskedQuestion,
      signal: AbortSignal,
    ): Promise<RawAnswer | undefined> {
      const params = { message: question.message, requestedSchema: question.requestedSchema };
      try {
        return await this.keepAliveWhile(() =>
          // The SDK's own elicitInput compiles a validator, which workerd forbids in a request.
          extra.sendRequest({ method: 'elicitation/create', params } as ServerElicitation, ElicitResultSchema, {
            signal,
            timeout: options.askTimeoutMs ?? DEFAULT_ASK_TIMEOUT_MS,
          }),
        );
      } catch (cause) {
        report({ fault: 'unanswered', tool: undefined, cause });
        return undefined;
      }
    }

    private async applyState(call: StateCall): Promise<StateOutcome> {
      const own = await handleOfSession(this.getSessionId());
      if (call.handle !== undefined && call.handle !== own) return applyAt(this.env, call.handle, call);
      // From here to setState nothing waits, so no other call can come between the read and the write.
      const tool = catalogue.tools.get(call.tool);
      if (tool?.kind !== 'stateful') return { ok: false, fault: { fault: 'unknown_tool', tool: call.tool } };
      const outcome = reduceState(tool, this.state.states[tool.state.name], call.args, world);
      if (!outcome.ok) return outcome;
      if (outcome.changed)
        this.setState({ ...this.state, states: { ...this.state.states, [tool.state.name]: outcome.next } });
      return { ok: true, reply: outcome.reply, handle: own };
    }
  };
}

type ServerElicitation = Parameters<LegacyExtra['sendRequest']>[0];
