/**
 * Lets the objects of any `McpAgent` class answer for the stateless lanes: a mixin on top of `sessionAgent`. The class's
 * code is what answers, unchanged; only the protocol in front is another.
 */
import type {
  HostedCaller,
  HostedOf,
  HostedRequest,
  HostedServer,
  HostedStanding,
  HostedStep,
  HostingAgent,
} from '../../lane/hosting.ts';
import { usualSubjectOf } from '../../shared/caller.ts';
import { isPlainObject } from '../../shared/json.ts';
import { newSecret } from '../../state/secret.ts';
import { platformOf, type HostableAgent } from '../package-internals.ts';
import type { AnyArguments, McpAgentClass, SessionAgentClass, SessionAgentOptions } from '../session/options.ts';
import { SECRET_KEY } from '../session/record.ts';
import { refuseTaken, sessionAgent, sessionOf } from '../session/session-agent.ts';
import { Hosting } from './hosting.ts';

export type HostedAgentClass<Base extends McpAgentClass> = SessionAgentClass<Base> &
  (abstract new (...args: AnyArguments) => HostingAgent);

const ADDED = [
  '_host',
  '_cancelHosted',
  '_describeHosted',
  '_beginHosted',
  '_listenHosted',
  '_secretHosted',
  'runHosted',
];

const hosts = new WeakMap<object, Hosting>();

/** Updates of a resource come outside of calls, on a stream that the compat lane does not have. */
const pushesUpdates = ({ capabilities: { resources } }: HostedServer): boolean =>
  isPlainObject(resources) && resources['subscribe'] === true;

/**
 * @param Base The class as it is in production.
 * @throws TypeError if the class has a member of a name that is added.
 */
export function hostedAgent<Base extends McpAgentClass>(
  Base: Base,
  options: (agent: object) => SessionAgentOptions = () => ({}),
): HostedAgentClass<Base> {
  refuseTaken(Base.prototype as object, Base.name, Reflect.has, ADDED);
  const hosting = (agent: object): Hosting => {
    const known = hosts.get(agent);
    if (known !== undefined) return known;
    const { storage } = platformOf(agent);
    const { subjectOf = usualSubjectOf, onError = () => undefined } = options(agent);
    const made = new Hosting({
      agent: agent as HostableAgent,
      storage,
      session: sessionOf(agent),
      subjectOf,
      onError,
    });
    hosts.set(agent, made);
    return made;
  };

  abstract class HostedAgent extends sessionAgent(Base as McpAgentClass, options) implements HostingAgent {
    override async onStart(props?: Record<string, unknown>): Promise<void> {
      await hosting(this).starting();
      await super.onStart(props);
      await hosting(this).started();
    }

    /** Not `async`, and without an underscore: so the package wraps it to run as one of the class's own methods. */
    runHosted<T>(work: () => T): T {
      return work();
    }

    _host(
      request: HostedRequest,
      notify?: (notification: string) => Promise<void>,
      here?: (standing: HostedStanding) => void,
    ): Promise<HostedStep> {
      return hosting(this).host(request, notify, here);
    }

    async _cancelHosted(call: string): Promise<void> {
      hosting(this).cancel(call);
    }

    _describeHosted(of: HostedOf, caller: HostedCaller): Promise<HostedServer | undefined> {
      return hosting(this).describe(of, caller);
    }

    _listenHosted(...listen: Parameters<HostingAgent['_listenHosted']>): Promise<void> {
      return hosting(this).listen(...listen);
    }

    async _beginHosted(initialize: string, caller: HostedCaller): Promise<HostedServer | undefined> {
      const server = await hosting(this).described(caller);
      if (pushesUpdates(server)) {
        // Without a session there is nothing to keep of the agent that was asked.
        await sessionOf(this).exists();
        return undefined;
      }
      const request = JSON.parse(initialize) as Parameters<HostedAgent['setInitializeRequest']>[0];
      await this.setInitializeRequest(request);
      await sessionOf(this).beginDrained();
      return server;
    }

    async _secretHosted(): Promise<string> {
      const { kv } = platformOf(this).storage;
      const known = kv.get<string>(SECRET_KEY);
      const secret = known ?? newSecret();
      if (known === undefined) kv.put(SECRET_KEY, secret);
      return secret;
    }
  }
  Object.defineProperty(HostedAgent, 'name', { value: Base.name });
  return HostedAgent as unknown as HostedAgentClass<Base>;
}
