/**
 * The agents' namespace as the package's handlers get it. For each message the package asks an agent to start, then for
 * the request that its session began with, then to serve, and waits for each answer: three requests to a Durable Object,
 * each of which is paid for and may cross the world. Here an agent that this isolate has reached is asked once, to serve
 * if its session has begun; one that it has not is entered first, which is start and question in one. The package tries
 * that again where the platform fails for a moment. What it does with the answers stays the same, and whatever else it
 * calls passes through.
 */

import { propertiesText } from '../shared/caller.ts';
import type { Bridge } from './stream.ts';

/** On a request that an agent serves only if its session has begun, and else answers with 404. */
export const IF_BEGUN = 'cf-mcp-if-begun';

/**
 * The properties of a call's own caller, on the request that an agent gets. An agent keeps one set of properties, and two
 * calls with different ones may be under way at once.
 */
const PROPS = 'cf-mcp-props';

type HeaderValues = Readonly<Record<string, string | string[] | undefined>>;

/** The properties that came with a call; undefined if its Worker told none, as earlier versions do. */
export function propsTold(headers: HeaderValues | undefined): unknown {
  const told = headers?.[PROPS];
  return typeof told === 'string' ? JSON.parse(decodeURIComponent(told)) : undefined;
}

/** A header holds bytes of one character each, and properties may hold any text. */
const propsText = (props: object | undefined): string =>
  isEmpty(props) ? '{}' : encodeURIComponent(propertiesText(props));

const isEmpty = (props: object | undefined): boolean => Object.keys(props ?? {}).length === 0;

export interface EnterOptions {
  /** True for a caller that names a session: one that has not begun is not started, and leaves nothing behind. */
  readonly mustExist: boolean;
}

/** What an agent answers when it is entered. */
export interface Entry {
  /** The request that its session began with, if that is the caller's. */
  readonly begunBy: unknown;
  /** False if the session is somebody else's, or has not begun and had to. Undefined from agents of earlier versions. */
  readonly admitted?: boolean;
}

export interface EnteredAgent {
  /** Starts the agent for a caller. The package starts an agent without properties before any method without the underscore. */
  _enter(props: unknown, options?: EnterOptions): Promise<Entry>;
}

/** Thrown through the package's handler, which has no word for an agent that turns a request away. */
export class SessionNotBegun extends Error {}

/** The agents that this isolate has called: they exist, and run a version that understands `IF_BEGUN`. */
export class Reached {
  readonly #ids = new Set<string>();

  has(id: DurableObjectId): boolean {
    return this.#ids.has(id.toString());
  }

  add(id: DurableObjectId): void {
    this.#ids.add(id.toString());
    const [oldest] = this.#ids.size > MAX_REACHED ? this.#ids : [];
    if (oldest !== undefined) this.#ids.delete(oldest);
  }

  forget(id: DurableObjectId): void {
    this.#ids.delete(id.toString());
  }
}

const MAX_REACHED = 10_000;

export interface Entering {
  readonly method: string;
  /** The caller's properties: an agent has to have them before it starts. The platform gives `{}` where there are none. */
  readonly props: object | undefined;
  /** True where the request names no session, and so can only begin one. */
  readonly begins: boolean;
  readonly reached: Reached;
  /** Between the agent's stream and the client's. */
  readonly bridge: Bridge;
  /** True for an agent that wants the properties with each call. */
  readonly tellsProps: boolean;
}

export function withOneEntrance(namespace: DurableObjectNamespace, entering: Entering): DurableObjectNamespace {
  const { method, props, begins, reached, bridge, tellsProps } = entering;
  // A DELETE has nothing to serve, and properties travel on a call of their own.
  const enters = method === 'DELETE' || !isEmpty(props);
  return withAgents(namespace, (id, stub) => {
    const agent: Agent = { id, stub, reached, props, bridge, tellsProps };
    return enters || !(begins || reached.has(id)) ? entered(agent) : servedAtOnce(agent);
  });
}

/** The same for the old transport, whose handlers ask an agent to start and then to serve. */
export function withCheckedEntrance(
  namespace: DurableObjectNamespace,
  { method, props, bridge, tellsProps }: Pick<Entering, 'method' | 'props' | 'bridge' | 'tellsProps'>,
): DurableObjectNamespace {
  return withAgents(namespace, (_id, open) => {
    const stub = open();
    return passing(stub, {
      __unsafe_ensureInitialized: async () => {
        // A GET begins a session, or comes back to one. A message does neither.
        const { admitted } = await enter(apiOf(stub), props, { mustExist: method === 'POST' });
        if (admitted === false) throw new SessionNotBegun();
      },
      onSSEMcpMessage: (sessionId: unknown, message: unknown, extra: MessageExtra) =>
        apiOf(stub).onSSEMcpMessage(sessionId, message, tellsProps ? tellingProps(extra, props) : extra),
      fetch: async (request: Request) => bridge.over(await stub.fetch(request)),
    });
  });
}

const withAgents = (
  namespace: DurableObjectNamespace,
  agentOf: (id: DurableObjectId, open: () => DurableObjectStub) => DurableObjectStub,
): DurableObjectNamespace =>
  passing(namespace, {
    get: (...args: Parameters<DurableObjectNamespace['get']>) => agentOf(args[0], () => namespace.get(...args)),
    jurisdiction: (...args: Parameters<DurableObjectNamespace['jurisdiction']>) =>
      withAgents(namespace.jurisdiction(...args), agentOf),
  });

interface Agent {
  readonly id: DurableObjectId;
  readonly stub: () => DurableObjectStub;
  readonly reached: Reached;
  readonly props: object | undefined;
  readonly bridge: Bridge;
  readonly tellsProps: boolean;
}

/** What this file asks of an agent; all but `_enter` are the package's own. */
interface AgentApi extends EnteredAgent {
  __unsafe_ensureInitialized(props: unknown): Promise<void>;
  getInitializeRequest(): Promise<unknown>;
  setInitializeRequest(request: unknown): Promise<void>;
  onSSEMcpMessage(sessionId: unknown, message: unknown, extra: MessageExtra): Promise<unknown>;
}

/** What comes with a message of the old transport. */
interface MessageExtra {
  readonly requestInfo: { readonly headers: HeaderValues };
}

function tellingProps({ requestInfo, ...extra }: MessageExtra, props: object | undefined): MessageExtra {
  return { ...extra, requestInfo: { ...requestInfo, headers: { ...requestInfo.headers, [PROPS]: propsText(props) } } };
}

const apiOf = (stub: DurableObjectStub): AgentApi => stub as unknown as AgentApi;

/** Two requests: start and question are one. */
function entered({ id, stub: open, reached, props, bridge, tellsProps }: Agent): DurableObjectStub {
  const stub = open();
  let begunBy: unknown;
  return passing(stub, {
    // The package gives no properties with a DELETE, and a session is ended by its owner only.
    __unsafe_ensureInitialized: async () => {
      ({ begunBy } = await enter(apiOf(stub), props));
      if (begunBy !== undefined) reached.add(id);
    },
    getInitializeRequest: async () => begunBy,
    fetch: async (request: Request) => {
      if (tellsProps) request.headers.set(PROPS, propsText(props));
      return bridge.over(await stub.fetch(request));
    },
  });
}

async function enter(agent: AgentApi, props: unknown, options?: EnterOptions): Promise<Entry> {
  try {
    return await agent._enter(props, options);
  } catch (cause) {
    if (!isUnknownMethod(cause)) throw cause;
    // An agent of an earlier version, or of the class without the mixin, while a deployment is under way: in the
    // package's own steps.
    await agent.__unsafe_ensureInitialized(props);
    return { begunBy: await agent.getInitializeRequest() };
  }
}

/** The platform's words for a method that an object does not have. */
const isUnknownMethod = (cause: unknown): boolean =>
  cause instanceof TypeError && cause.message.includes('does not implement the method');

/** One request, and one before it where a session begins. */
function servedAtOnce({ id, stub: open, reached, props, bridge, tellsProps }: Agent): DurableObjectStub {
  const stub = open();
  let begins = false;
  return passing(stub, {
    // It starts by itself with whatever it is asked first.
    __unsafe_ensureInitialized: async () => undefined,
    getInitializeRequest: async () => true,
    setInitializeRequest: async (request: unknown) => {
      begins = true;
      await retried(() => apiOf(open()).setInitializeRequest(request));
      reached.add(id);
    },
    fetch: async (request: Request) => {
      if (tellsProps) request.headers.set(PROPS, propsText(props));
      if (begins) return bridge.over(await stub.fetch(request));
      request.headers.set(IF_BEGUN, 'yes');
      try {
        const response = await stub.fetch(request);
        if (response.status === 404) throw new SessionNotBegun();
        return bridge.over(response);
      } catch (cause) {
        // The next one enters first. This one is not sent again: nobody knows whether it has arrived.
        reached.forget(id);
        throw cause;
      }
    },
  });
}

const MAX_TRIES = 3;
const RETRY_AFTER_MS = 100;

/** Tries again where the platform says that it may help, as the package does with what it asks first. */
async function retried(ask: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (cause) {
      const { retryable, overloaded } = cause as { retryable?: boolean; overloaded?: boolean };
      if (tries === MAX_TRIES || retryable !== true || overloaded === true) throw cause;
      await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS * tries * Math.random()));
    }
  }
}

/** The same object with some methods of its own. The platform's methods insist on their own `this`. */
function passing<T extends object>(inner: T, own: Readonly<Record<string, unknown>>): T {
  return new Proxy(inner, {
    get(target, key) {
      if (typeof key === 'string' && Object.hasOwn(own, key)) return own[key];
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function'
        ? (...args: unknown[]) => Reflect.apply(value, target, args) as unknown
        : value;
    },
  });
}
