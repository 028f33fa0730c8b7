/**
 * Sessions for any `McpAgent` class: they can be drained, taken back, ended and expire, are entered with one request, and
 * are kept from the package's faults. The class keeps its tools, state, properties, storage and hooks. Each member here
 * does the class's own work and asks the session's `SessionHost`.
 */
import type { Connection, ConnectionContext } from 'agents';
import { McpAgent } from 'agents/mcp';
import type { SessionStanding } from '../../state/transfer.ts';
import { IF_BEGUN, type EnterOptions, type Entry } from '../entrance.ts';
import { platformOf, prototypeOf, type AnyMcpAgent } from '../package-internals.ts';
import { SessionHost } from './host.ts';
import {
  ADDED_MEMBERS,
  settingsOf,
  type AnyArguments,
  type Caller,
  type McpAgentClass,
  type SessionAgentClass,
  type SessionAgentMembers,
  type SessionAgentOptions,
} from './options.ts';

/** By agent. Not a field of it: a class's own members may have any name, and its constructor may call any of them. */
const sessions = new WeakMap<object, SessionHost>();

/** The session that an agent serves whose class `sessionAgent` has made, for what a subclass adds. */
export function sessionOf(agent: object): SessionHost {
  const session = sessions.get(agent);
  if (session === undefined) throw new TypeError('The agent is not of a class that sessionAgent() has made');
  return session;
}

/**
 * Puts sessions on any `McpAgent` class: they can be drained, taken back, ended and expire.
 *
 * @throws TypeError if the class has a member of a name that is added.
 * @example
 * ```ts
 * import { McpAgent } from 'agents/mcp';
 * import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
 * import { sessionAgent } from 'hybrid-mcp/legacy';
 *
 * class OwnMCP extends McpAgent {
 *   server = new McpServer({ name: 'own', version: '1.0.0' });
 *   async init(): Promise<void> {}
 * }
 * export class MyMCP extends sessionAgent(OwnMCP, { idleMs: 86_400_000 }) {}
 * ```
 */
export function sessionAgent<Base extends McpAgentClass>(
  Base: Base,
  options: SessionAgentOptions | ((agent: object) => SessionAgentOptions) = {},
): SessionAgentClass<Base> {
  refuseTaken(Base.prototype as object, Base.name, Reflect.has);
  const shared = typeof options === 'function' ? undefined : settingsOf(options);
  const plain = prototypeOf(Base);
  const session = (agent: AnyMcpAgent): SessionHost => {
    const known = sessions.get(agent);
    if (known !== undefined) return known;
    const terminate = (): Promise<void> => plain._cf_terminateSession.call(agent);
    const settings = shared ?? settingsOf(typeof options === 'function' ? options(agent) : options);
    const host = new SessionHost({ agent, ...platformOf(agent), terminate }, settings);
    sessions.set(agent, host);
    return host;
  };
  const isPlainStart = plain.reinitializeServer === prototypeOf(McpAgent).reinitializeServer;
  const hasOwnStore = plain.getEventStore !== prototypeOf(McpAgent).getEventStore;

  abstract class SessionAgent extends Base implements SessionAgentMembers {
    constructor(...args: AnyArguments) {
      // oxlint-disable-next-line typescript/no-unsafe-argument
      super(...args);
      refuseTaken(this, Base.name, Object.hasOwn);
      session(this);
    }

    override async onStart(props?: Record<string, unknown>): Promise<void> {
      await super.onStart(await session(this).propsToStart(props));
      session(this).started();
    }

    override async reinitializeServer(): Promise<void> {
      const isQuiet = isPlainStart && session(this).wakesQuietly;
      await (isQuiet ? session(this).remindServer() : super.reinitializeServer());
    }

    override async onConnect(connection: Connection, context: ConnectionContext): Promise<void> {
      await session(this).used();
      await super.onConnect(connection, context);
    }

    override async onSSEMcpMessage(...message: Parameters<McpAgent['onSSEMcpMessage']>): Promise<Error | null> {
      await session(this).used();
      return super.onSSEMcpMessage(...message);
    }

    override async fetch(request: Request): Promise<Response> {
      if (await session(this).refuses(request)) return new Response(null, { status: 404 });
      return super.fetch(withoutMark(request));
    }

    override async alarm(): Promise<void> {
      await session(this).alarm(() => super.alarm());
    }

    override async setInitializeRequest(...request: Parameters<McpAgent['setInitializeRequest']>): Promise<void> {
      session(this).events.beginSession();
      await super.setInitializeRequest(...request);
    }

    /** A drained session is unknown to the package, so its next request falls to the stateless lanes. */
    override async getInitializeRequest(): ReturnType<McpAgent['getInitializeRequest']> {
      return session(this).isDrained ? undefined : super.getInitializeRequest();
    }

    /** The package calls this when a posted request opens its stream, and only then. */
    override async setStreamRequestIds(...stream: Parameters<McpAgent['setStreamRequestIds']>): Promise<void> {
      session(this).events.begin(stream[0]);
      await super.setStreamRequestIds(...stream);
    }

    protected override getEventStore(): ReturnType<McpAgent['getEventStore']> {
      return hasOwnStore ? super.getEventStore() : session(this).events;
    }

    /** By DELETE, or for an operator. */
    override async _cf_terminateSession(): Promise<void> {
      await session(this).end();
    }

    // Without `async`, the package starts no agent to ask it these.

    _enter(props: Record<string, unknown> | undefined, how?: EnterOptions): Promise<Entry> {
      return session(this).enter(props, how);
    }

    isSession(): Promise<boolean> {
      return session(this).exists();
    }

    admits(subject: string | undefined): Promise<boolean> {
      return session(this).admits(subject);
    }

    standing(caller?: Caller): Promise<SessionStanding> {
      return session(this).standing(caller);
    }

    drain(): Promise<boolean> {
      return session(this).setDrained(true);
    }

    takeBack(): Promise<boolean> {
      return session(this).setDrained(false);
    }

    endSession(): Promise<void> {
      return this._cf_terminateSession();
    }
  }
  // Its connections are told the name of their agent's class, and so are the class's logs.
  Object.defineProperty(SessionAgent, 'name', { value: Base.name });
  return SessionAgent;
}

/** A member of the class's own under one of our names would be hidden, or would hide ours. */
export function refuseTaken(
  owner: object,
  className: string,
  has: (owner: object, name: string) => boolean,
  added: readonly string[] = ADDED_MEMBERS,
): void {
  const taken = added.filter((name) => has(owner, name));
  if (taken.length === 0) return;
  throw new TypeError(
    `The class "${className}" has members named ${taken.map((name) => `"${name}"`).join(', ')}, which sessionAgent() adds. Rename them in the class.`,
  );
}

/** The class and its handlers see the request as they would without us. */
function withoutMark(request: Request): Request {
  if (!request.headers.has(IF_BEGUN)) return request;
  const unmarked = new Request(request);
  unmarked.headers.delete(IF_BEGUN);
  return unmarked;
}
