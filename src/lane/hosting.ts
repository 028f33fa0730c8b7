/**
 * How a stateless lane asks an object of a user's own `McpAgent` class for an answer: over RPC, in JSON texts, so that
 * neither side can meet a value that RPC does not carry. Types only.
 */
import type { ClientInfo } from '../shared/define/context.ts';
import type { JsonObject } from '../shared/json.ts';
import type { Message } from '../shared/message.ts';
import type { Era } from './contract.ts';

/** Who calls, as the class sees it. */
export interface HostedCaller {
  /** The sign-in's properties, which become the agent's `props` for this call. */
  readonly props: Readonly<Record<string, unknown>>;
  readonly client?: ClientInfo;
  /** What the client declares; empty on a lane that cannot carry a question to it. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Of the request, for handlers that read them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly url: string;
}

export type HostedOf = 'session' | 'object';

/** How a session stands whose object answers. */
export type HostedStanding = 'drained' | 'live';

export interface HostedRequest {
  /** `session`: only if the object serves a session of this caller's. `object`: in any case. */
  readonly of: HostedOf;
  readonly method: string;
  /** As JSON; absent if the request has none. */
  readonly params?: string;
  readonly caller: HostedCaller;
  /** Names the call while it runs, so that it can be cancelled. */
  readonly call: string;
  /** Given if a session that is not there may begin with this request. */
  readonly begins?: HostedBeginning;
  /** Given if the client answers the questions of an earlier round of the same call. */
  readonly round?: HostedRound;
}

export interface HostedBeginning {
  /** Milliseconds without a use after which the session ends, whatever holds for others of its class. */
  readonly idleMs: number;
}

export interface HostedRound {
  /** What the object gave out with the questions. */
  readonly token: string;
  /** By the key of the question. */
  readonly answers: Readonly<Record<string, unknown>>;
}

export interface HostedQuestion {
  readonly key: string;
  readonly method: string;
  readonly params: JsonObject;
}

/** What an object says of the server that its class has made for this caller. */
export interface HostedServer {
  readonly info: { readonly name: string; readonly version: string } & JsonObject;
  readonly capabilities: JsonObject;
  readonly instructions?: string;
}

/** What a client has not declared, and the handler would have asked it for. */
export type Lacking = Readonly<Record<string, JsonObject>>;

/** How a hosted request goes on. */
export type HostedStep =
  /** The result as JSON. */
  | { readonly kind: 'result'; readonly result: string; readonly lacks?: Lacking }
  | {
      readonly kind: 'error';
      readonly error: { code: number; message: string; data?: unknown };
      readonly lacks?: Lacking;
    }
  /** The handler waits for answers. The token is the only way to bring them, and only to this object. */
  | { readonly kind: 'questions'; readonly token: string; readonly questions: readonly HostedQuestion[] }
  /** The token is unknown, has expired, or belongs to another call or caller. */
  | { readonly kind: 'unknown_round' }
  /** There is no such session, or it belongs to another subject. */
  | { readonly kind: 'gone' }
  /** Calls with other rights of the same caller went on for too long. */
  | { readonly kind: 'busy' };

/** What an agent offers to the stateless lanes. The underscore keeps the package from starting the agent first. */
export interface HostingAgent {
  /**
   * @param notify Given each notification of the call as JSON.
   * @param here Told that the session is one of this caller's, before anything of the class runs.
   */
  _host(
    request: HostedRequest,
    notify?: (notification: string) => Promise<void>,
    here?: (standing: HostedStanding) => void,
  ): Promise<HostedStep>;
  /** The caller has gone or has cancelled. */
  _cancelHosted(call: string): Promise<void>;
  /** What the class serves to this caller; undefined if there is no such session, or it is another caller's. */
  _describeHosted(of: HostedOf, caller: HostedCaller): Promise<HostedServer | undefined>;
  /**
   * Begins a session that the stateless lanes serve from its start. The plain class would go on with it. Undefined, and
   * nothing is left behind, if the class offers what only a session of the legacy lane can carry.
   */
  _beginHosted(initialize: string, caller: HostedCaller): Promise<HostedServer | undefined>;
  /**
   * Tells a 2026-07-28 client of what the class says outside of calls, until `_cancelHosted` is called with this name.
   * @param uris The resources whose updates it wants.
   * @param here Told when nothing that is said from now on is missed.
   */
  _listenHosted(
    caller: HostedCaller,
    listen: { readonly name: string; readonly uris: readonly string[] },
    notify: (notification: string) => Promise<void>,
    here: () => void,
  ): Promise<void>;
  /** The key of the deployment's handles; made at first use. Asked of one object only. */
  _secretHosted(): Promise<string>;
}

/** One request that a stateless lane answers by asking an object of the class. */
export interface HostedExchange {
  readonly agent: Pick<HostingAgent, '_host' | '_cancelHosted' | '_listenHosted'>;
  readonly of: HostedOf;
  /** What the class serves to this caller. */
  readonly server: HostedServer;
  readonly caller: HostedCaller;
  readonly message: Message;
  readonly era: Era;
  /** Written before the token of a round, so that its answers come back to the same object; empty if the caller says it. */
  readonly tokenPrefix: string;
  /** Told once whether the session is one of this caller's; if it is `gone`, nothing has run. */
  readonly onStanding?: (standing: HostedStanding | 'gone') => void;
}
