/**
 * Everything that the legacy lane relies on in the packages `agents` and `@modelcontextprotocol/sdk` beyond their
 * documented interface: names of stored keys and headers, underscored methods, the shape of a connection's state. No other
 * file of the legacy lane names any of them. `test/contract/legacy-package-internals.test.ts` fails if the installed
 * version lacks one.
 */
import type { Connection } from 'agents';
import type { McpAgent } from 'agents/mcp';

/** The methods that a class has to inherit. */
export type AnyMcpAgent = Pick<
  McpAgent,
  | '_cf_scheduleDestroy'
  | '_cf_terminateSession'
  | '__unsafe_ensureInitialized'
  | 'deleteStreamRequestIds'
  | 'getConnections'
  | 'getInitializeRequest'
  | 'getSessionId'
  | 'getStreamRequestIds'
  | 'getTransportType'
  | 'setState'
  | 'state'
>;

/** Keys in an agent's storage. */
export const STORED = {
  /** The request that a Streamable HTTP session began with. Absent before the session begins and after it has ended. */
  initializeRequest: 'initializeRequest',
  /** The properties of the caller that the agent was last started by. */
  props: 'props',
  /** Present from the moment an agent is to be destroyed. The value is the time. */
  destroyPending: 'cf_agents_destroy_pending',
  /** Followed by the id of a stream, a colon, and the number of the event. */
  eventPrefix: '__mcp_event__:',
} as const;

/** How the package writes the number of an event: so many hexadecimal digits. */
export const EVENT_NUMBER_DIGITS = 16;

/** The stream of a GET without `Last-Event-ID`. The stream of a POST is named by its connection's id. */
export const SESSION_STREAM = '_GET_stream';

/** What the package keeps on each connection of a Streamable HTTP session. */
export interface StreamState {
  readonly streamId?: string;
  readonly requestIds?: readonly (string | number)[];
}

export const connectionsOf = (agent: Pick<AnyMcpAgent, 'getConnections'>): Iterable<Connection<StreamState>> =>
  agent.getConnections<StreamState>();

/** A message as a transport passes it on. */
export interface TransportMessage {
  readonly jsonrpc?: '2.0';
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: unknown;
}

/** The transport between an agent and its server: private to the package, an interface of the SDK. */
export interface AgentTransport {
  onmessage?: (message: TransportMessage, extra?: unknown) => void;
  start(): Promise<void>;
  send(message: unknown, options?: unknown): Promise<void>;
}

interface Internals {
  readonly _transport?: AgentTransport;
  readonly _destroyed?: boolean;
  readonly lifecycle?: { rearmAlarm?: () => Promise<void>; isStarted?: () => boolean };
}

const internalsOf = (agent: object): Internals => agent;

/** Undefined until the agent has started. */
export const transportOf = (agent: object): AgentTransport | undefined => internalsOf(agent)._transport;

/** The package's own delay between the end of a session and the end of its agent. */
const DESTROY_DELAY_MS = 1000;

/**
 * Ends a session as the package does, also if its agent has not started: the package would start it first, which runs the
 * `init` of its class.
 * @param terminate The package's own way.
 */
export async function endSession(
  agent: AnyMcpAgent,
  storage: DurableObjectStorage,
  terminate: () => Promise<void>,
): Promise<void> {
  if (isStarted(agent)) return terminate();
  await condemn(agent, storage);
  await storage.delete(STORED.initializeRequest);
}

const isStarted = (agent: object): boolean => internalsOf(agent).lifecycle?.isStarted?.() !== false;

/** Has an agent's alarm destroy it, also if it has not started. */
export async function condemn(agent: AnyMcpAgent, storage: DurableObjectStorage): Promise<void> {
  // One that has just destroyed itself has no table left to write to, and is about to be aborted.
  if (internalsOf(agent)._destroyed === true) return;
  if (storage.kv.get(STORED.destroyPending) !== undefined && (await storage.getAlarm()) !== null) return;
  if (isStarted(agent)) return agent._cf_scheduleDestroy();
  const at = Date.now() + DESTROY_DELAY_MS;
  await storage.put(STORED.destroyPending, at);
  await storage.setAlarm(at);
}

/** True for an agent that is to be destroyed. */
export const isCondemned = (storage: DurableObjectStorage): boolean =>
  storage.kv.get(STORED.destroyPending) !== undefined;

/** Calls `also` each time the package has set the object's alarm from its own jobs, or has deleted it. */
export function afterRearm(agent: object, also: () => Promise<void>): void {
  const { lifecycle } = internalsOf(agent);
  const rearm = lifecycle?.rearmAlarm;
  if (lifecycle === undefined || rearm === undefined) return;
  lifecycle.rearmAlarm = async () => {
    await rearm.call(lifecycle);
    await also();
  };
}

/** The platform's side of an agent, which its class keeps protected. */
export const platformOf = (agent: object): { readonly storage: DurableObjectStorage; readonly env: object } => {
  const { ctx, env } = agent as { readonly ctx: DurableObjectState; readonly env: object };
  return { storage: ctx.storage, env };
};

/** What a class does without a subclass. */
export const prototypeOf = (agentClass: { readonly prototype: unknown }): ClassInternals =>
  agentClass.prototype as ClassInternals;

interface ClassInternals {
  readonly getEventStore: unknown;
  readonly reinitializeServer: unknown;
  _cf_terminateSession(this: object): Promise<void>;
}

/** What hosting needs of an agent besides. */
export type HostableAgent = AnyMcpAgent &
  Pick<McpAgent, 'init' | 'reinitializeServer' | 'setInitializeRequest' | 'server' | 'updateProps'> & {
    readonly props?: unknown;
    /** Runs code as the package runs the class's own methods: `getCurrentAgent()` gives the agent. */
    runHosted<T>(work: () => T): T;
  };

/**
 * The registrations of an SDK v1 server: what `registerTool`, `registerPrompt`, `registerResource`, `setRequestHandler`
 * and the like change, and nothing of what is under way.
 */
export const REGISTRATIONS = {
  high: [
    '_registeredTools',
    '_registeredPrompts',
    '_registeredResources',
    '_registeredResourceTemplates',
    '_toolHandlersInitialized',
    '_promptHandlersInitialized',
    '_resourceHandlersInitialized',
    '_completionHandlerInitialized',
  ],
  low: ['_requestHandlers', '_notificationHandlers', '_capabilities'],
} as const;

/** The low-level server of SDK v1, whose fields are private to it. */
export interface LowLevelServer {
  _transport?: AgentTransport;
  _serverInfo: unknown;
  _capabilities: unknown;
  _instructions?: string;
  _clientCapabilities?: unknown;
  _clientVersion?: unknown;
  _jsonSchemaValidator?: unknown;
  elicitInput?(params: { readonly mode?: string }, ...more: unknown[]): Promise<unknown>;
}

/** An `McpServer` holds a `Server`; an agent may have either. */
export const lowLevelOf = (server: object): LowLevelServer =>
  (('server' in server ? server.server : server) ?? server) as LowLevelServer;

/** Hands an answer to the agent's own `elicitInput()`, which waits beside the server. False if it does not wait for it. */
export const takeElicited = (agent: object, message: object): boolean =>
  (agent as { _handleElicitationResponse(message: object): boolean })._handleElicitationResponse(message);
