/** The catalogue's own agent: an `McpAgent`, one Durable Object per session, that serves the catalogue and keeps its state. */
import { McpAgent } from 'agents/mcp';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';
import type { LaneParts } from '../lane/contract.ts';
import type { Caller } from '../shared/caller.ts';
import { viewerOf } from '../shared/catalogue/views.ts';
import { LOG_LEVELS, type CallRequest } from '../shared/define/context.ts';
import type { JsonObject } from '../shared/json.ts';
import type { CallPorts, LiveCall } from '../shared/pipeline/ports.ts';
import { NO_SERVICES, noServices, servicesOf } from '../shared/pipeline/services.ts';
import { reportSdk } from '../shared/pipeline/report.ts';
import type { HeldCall } from '../shared/state/holder.ts';
import type { Asker } from '../shared/state/ownership.ts';
import type { AskVars, IdleVars } from '../state/times.ts';
import type { StateEnv } from '../state/state-port.ts';
import type { AgentAnswer } from '../state/transfer.ts';
import { SessionStates, UNTOUCHED, type CatalogueRecord } from './catalogue-states.ts';
import { CATALOGUE_KEY, moveEarlierState } from './earlier-state.ts';
import { propsTold } from './entrance.ts';
import { createLegacyServer, pushPort, type LegacyExtra } from './server.ts';
import type { SessionAgentMembers, SessionAgentOptions, Workarounds } from './session/options.ts';
import { KeptValue } from './session/record.ts';
import { sessionAgent, sessionOf } from './session/session-agent.ts';

/** What the agent reads of its environment, under the names that this package uses. */
export type AgentEnvironment = StateEnv & IdleVars & AskVars;

/** What the agent is made of. */
export type AgentParts = Omit<LaneParts<AgentEnvironment>, 'paths'> & {
  /** Workarounds for faults of the package to switch off. */
  readonly workarounds?: Partial<Workarounds>;
};

/** An agent that serves a catalogue. */
export interface CatalogueAgent extends McpAgent, SessionAgentMembers {
  readonly server: Server;
  init(): Promise<void>;
  applyOrRelease(call: HeldCall, asker: Asker, live?: LiveCall): Promise<AgentAnswer>;
  /** Called by the alarms that earlier versions have set. */
  expireIfIdle(): Promise<void>;
}

export type CatalogueAgentClass = Omit<typeof McpAgent, 'prototype'> &
  (new (ctx: DurableObjectState, env: Cloudflare.Env) => CatalogueAgent);

/** The class to export from the Worker, for the catalogue that it serves. */
export function legacyAgentFor(parts: AgentParts): CatalogueAgentClass {
  const { catalogue, world, report, envOf } = parts;
  const { services } = parts;
  const subjectOf = (props: unknown): string | undefined => parts.callerOf(props).subject;
  const onError = (cause: unknown): void => reportSdk(report, cause);
  const viewFor = viewerOf(catalogue, report);
  const settings: SessionAgentOptions = {
    idleMs: (env) => parts.idleMs(envOf(env)),
    subjectOf,
    onError,
    ...(parts.workarounds !== undefined && { workarounds: parts.workarounds }),
    onSessionEnd: (env, sessionId) => parts.onSessionEnd(envOf(env), sessionId),
    moveEarlier: moveEarlierState,
  };

  return class LegacyAgent extends sessionAgent(McpAgent, settings) implements CatalogueAgent {
    readonly #bound = envOf(this.env);
    readonly #record = new KeptValue<CatalogueRecord>(this.ctx.storage, CATALOGUE_KEY, () =>
      moveEarlierState(this, this.ctx.storage),
    );
    readonly #states = new SessionStates({
      env: this.#bound,
      catalogue,
      world,
      report,
      services,
      callerOf: parts.callerOf,
      sessionId: () => this.getSessionId(),
      name: () => this.name,
      isDrained: () => sessionOf(this).isDrained,
      read: () => this.#kept,
      write: (record) => this.#record.set(record),
    });
    override server: Server = createLegacyServer({
      catalogue,
      ports: (extra) => this.#portsFor(extra),
      ...(viewFor !== undefined && { viewFor: (extra) => viewFor(this.#callerOf(extra)) }),
      setLogLevel: (logLevel) => this.#record.set({ ...this.#kept, logLevel }),
      onVersion: (version) => {
        if (version !== this.#version) this.#record.set({ ...this.#kept, version });
      },
      onError,
    });

    /** Asked in every call, and kept, since the package does not initialize a session of the old transport again after a sleep. */
    get #version(): string {
      return this.#kept.version ?? LATEST_PROTOCOL_VERSION;
    }

    get #kept(): CatalogueRecord {
      return this.#record.get() ?? UNTOUCHED;
    }

    /** Nothing to set up: the server is complete from the start. */
    override async init(): Promise<void> {}

    async applyOrRelease(call: HeldCall, asker: Asker, live?: LiveCall): Promise<AgentAnswer> {
      const session = sessionOf(this);
      if (!(await session.exists())) return { kind: 'gone' };
      // Whoever goes on by the handle alone has left the session. It must not hold the state until it ends, nor be kept
      // from ending. A session of the old transport cannot be drained, so its state leaves at once.
      const follows = this.getTransportType() === 'sse' || session.expiry.isQuiet;
      return this.#states.applyOrRelease(call, asker, { follows, live });
    }

    /** A tool that waits is a use, also of a session whose client has left: the call came by the handle. */
    override async alarm(): Promise<void> {
      const { expiry } = sessionOf(this);
      if (this.#states.isBusy && expiry.endsAt !== undefined) expiry.write(Date.now());
      await super.alarm();
    }

    /** By DELETE, or for an operator. A handle that was given out works on; a session that expires was idle as long. */
    override async _cf_terminateSession(): Promise<void> {
      if (this.#kept.bound === true || sessionOf(this).record.drained !== undefined) {
        await this.#states.handOn();
      }
      await super._cf_terminateSession();
    }

    /** The alarm itself has looked before it calls this. */
    async expireIfIdle(): Promise<void> {}

    /** The caller of this very call: the agent's own properties are those of the caller who started it. */
    #callerOf(extra: LegacyExtra): Caller {
      return parts.callerOf(this.#propsOf(extra));
    }

    #propsOf(extra: LegacyExtra): unknown {
      return propsTold(extra.requestInfo?.headers) ?? this.props;
    }

    #portsFor(extra: LegacyExtra): CallPorts {
      const props = this.#propsOf(extra);
      const caller = parts.callerOf(props);
      const progressToken = extra._meta?.progressToken;
      const client = this.server.getClientVersion();
      return {
        world,
        signal: extra.signal,
        client: client === undefined ? undefined : { name: client.name, version: client.version },
        version: this.#version,
        caller,
        services: services === NO_SERVICES ? noServices : servicesOf(services, this.#bound, caller),
        ask: pushPort({
          extra,
          capabilities: this.server.getClientCapabilities(),
          timeoutMs: () => parts.askTimeoutMs(this.#bound),
          awake: (work) => this.keepAliveWhile(work),
          report,
        }),
        state: { apply: (call, live) => this.#states.apply(call, caller, props, live) },
        report,
        request: () => requestOf(extra),
        ...(progressToken !== undefined && {
          progress: (update) =>
            extra.sendNotification({ method: 'notifications/progress', params: { progressToken, ...update } }),
        }),
        log: async (level, data) => {
          if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(this.#kept.logLevel ?? 'debug')) return;
          await extra.sendNotification({
            method: 'notifications/message',
            params: { level, data, logger: catalogue.info.name },
          });
        },
      };
    }
  };
}

function requestOf({ requestId, _meta: meta, sessionId, requestInfo, authInfo }: LegacyExtra): CallRequest {
  // Without those that the packages add on the way to an agent.
  const own = Object.entries(requestInfo?.headers ?? {}).filter(([name]) => !name.startsWith('cf-mcp-'));
  return {
    id: requestId,
    ...(meta !== undefined && { meta: meta as unknown as JsonObject }),
    ...(sessionId !== undefined && { sessionId }),
    headers: Object.fromEntries(own.map(([name, value]) => [name, String(value)])),
    ...(requestInfo?.url !== undefined && { url: requestInfo.url.toString() }),
    ...(authInfo !== undefined && { authInfo }),
  };
}
