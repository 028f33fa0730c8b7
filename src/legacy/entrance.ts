/**
 * The agents' namespace as the package's handlers get it. For each message the package asks an agent to start, then for
 * the request that its session began with, then to serve, and waits for each answer: three requests to a Durable Object,
 * each of which is paid for and may cross the world. Here the agent is asked once, to serve if its session has begun.
 * What the package does with the answer stays the same, and whatever else it calls passes through.
 */

/** On a request that an agent serves only if its session has begun, and else answers with 404. */
export const IF_BEGUN = 'cf-mcp-if-begun';

/** What an agent answers when it is entered: the request that its session began with, if it has begun. */
export interface EnteredAgent {
  /** Not wrapped by the package as methods without the underscore are: it would start the agent without the properties. */
  _enter(props: unknown): Promise<{ readonly begunBy: unknown }>;
}

/** Thrown through the package's handler, which has no word for an agent that turns a request away. */
export class SessionNotBegun extends Error {}

export interface Entering {
  readonly method: string;
  /** The caller's properties: an agent has to have them before it starts. The platform gives `{}` where there are none. */
  readonly props: object | undefined;
}

export function withOneEntrance(
  namespace: DurableObjectNamespace,
  { method, props }: Entering,
): DurableObjectNamespace {
  // A DELETE has nothing to serve, and properties travel on a call of their own.
  const enter = method === 'DELETE' || Object.keys(props ?? {}).length > 0 ? entered : servedAtOnce;
  return passing(namespace, {
    get: (...args: Parameters<DurableObjectNamespace['get']>) => enter(namespace.get(...args)),
  });
}

/** Two requests: start and question are one. */
function entered(stub: DurableObjectStub): DurableObjectStub {
  const agent = stub as unknown as EnteredAgent;
  let begunBy: unknown;
  return passing(stub, {
    __unsafe_ensureInitialized: async (props: unknown) => {
      ({ begunBy } = await agent._enter(props));
    },
    getInitializeRequest: async () => begunBy,
  });
}

/** One request, and one before it where a session begins. */
function servedAtOnce(stub: DurableObjectStub): DurableObjectStub {
  const agent = stub as unknown as { setInitializeRequest(request: unknown): Promise<void> };
  let begins = false;
  return passing(stub, {
    // It starts by itself with whatever it is asked first.
    __unsafe_ensureInitialized: async () => undefined,
    getInitializeRequest: async () => true,
    setInitializeRequest: async (request: unknown) => {
      begins = true;
      await agent.setInitializeRequest(request);
    },
    fetch: async (request: Request) => {
      if (begins) return stub.fetch(request);
      request.headers.set(IF_BEGUN, 'yes');
      const response = await stub.fetch(request);
      if (response.status === 404) throw new SessionNotBegun();
      return response;
    },
  });
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
