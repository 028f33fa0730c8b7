/** The hosted calls of one agent: starts it for the caller, hands requests to its server, and routes what comes back. */
import type {
  HostedCaller,
  HostedOf,
  HostedRequest,
  HostedServer,
  HostedStanding,
  HostedStep,
} from '../../lane/hosting.ts';
import { takeElicited, transportOf, type HostableAgent } from '../package-internals.ts';
import type { SessionHost } from '../session/host.ts';
import { beginHosted } from './begin.ts';
import { current, HostedCall, type AnsweredQuestion } from './hosted-call.ts';
import { Listeners, type Listening } from './listeners.ts';
import { Rights, rightsOf } from './rights.ts';
import { answeredBy, digestOf, Rounds } from './rounds.ts';
import { describedServer, reconnect, registrationsOf, remade, seesCaller, type Registrations } from './server-view.ts';

export interface HostingSetup {
  readonly agent: HostableAgent;
  readonly storage: DurableObjectStorage;
  readonly session: SessionHost;
  readonly subjectOf: (props: unknown) => string | undefined;
  readonly onError: (cause: unknown) => void;
}

interface Running {
  readonly call: HostedCall;
  readonly digest: string;
  leave: () => void;
}

interface SendOptions {
  readonly relatedRequestId?: string | number;
}

type Sent = Parameters<HostedCall['receive']>[0];

export class Hosting {
  readonly #setup: HostingSetup;
  readonly #rights = new Rights((props) => this.#adopt(props));
  readonly #rounds: Rounds;
  /** By the id of the request inside the object. */
  readonly #byRequest = new Map<string, Running>();
  /** By the name that the lane gave it. */
  readonly #byName = new Map<string, Running>();
  /** Handlers that wait for their clients, by the token of the round. */
  readonly #waiting = new Map<string, Running>();
  readonly #listeners = new Listeners();
  #before: Registrations | undefined;
  #server: object | undefined;
  /** What the server says while it is set up is for nobody. */
  #isMute = false;

  constructor(setup: HostingSetup) {
    this.#setup = setup;
    this.#rounds = new Rounds(setup.storage);
    setup.session.afterTakeBack = async () => this.#takenBack();
  }

  /** Called before the agent runs its `init()` for the first time. */
  async starting(): Promise<void> {
    this.#before = registrationsOf(await this.#setup.agent.server);
  }

  /** Called when the agent has started. */
  async started(): Promise<void> {
    await this.#connected();
    const transport = transportOf(this.#setup.agent);
    if (transport === undefined) return;
    const send = transport.send.bind(transport);
    transport.send = async (message, options) => {
      const call = this.#callOf(message as Sent, options as SendOptions | undefined);
      const isTold = !this.#isMute && (await this.#listeners.tell(message as Sent));
      if (call !== undefined) return call.receive(message as Sent);
      if (this.#isMute || isTold || !(await this.#isHeard(message as Sent))) return undefined;
      return send(message, options);
    };
  }

  async #connected(): Promise<void> {
    const server = await this.#setup.agent.server;
    if (server === undefined) return;
    this.#server = server;
    seesCaller(server);
  }

  /** The call on whose behalf the server sends something; undefined for what belongs to the legacy lane. */
  #callOf(message: Sent, options: SendOptions | undefined): HostedCall | undefined {
    const isResponse = message.method === undefined;
    const requestId = isResponse ? message.id : options?.relatedRequestId;
    if (requestId !== undefined) return this.#byRequest.get(String(requestId))?.call;
    const call = current.getStore();
    return call === undefined || call.isOver || this.#byRequest.get(call.requestId)?.call !== call ? undefined : call;
  }

  /** A message that belongs to no request has a stream to go to only while the legacy lane serves the session. */
  async #isHeard(message: Sent): Promise<boolean> {
    if (message.method === undefined) return true;
    const { session } = this.#setup;
    if (!session.isDrained && (await session.begunBy()) !== undefined) return true;
    const cause = new Error(
      `The server sent ${message.method} outside of a call, which only a session of the legacy lane can receive. If its clients need it, set AGENT_NEEDS_SESSION=on.`,
    );
    this.#setup.onError(cause);
    return false;
  }

  /** Sets the object up for a caller: by starting it, or by making its registrations anew. */
  async #adopt(props: Readonly<Record<string, unknown>>): Promise<void> {
    const { agent } = this.#setup;
    const started = transportOf(agent) !== undefined;
    if (!started) await agent.__unsafe_ensureInitialized({ ...props });
    if (rightsOf(agent.props ?? {}) === rightsOf(props)) return;
    await agent.updateProps({ ...props });
    this.#isMute = true;
    try {
      await remade(this.#before, () => Promise.resolve(agent.init()));
      const server = await agent.server;
      const transport = transportOf(agent);
      if (server !== undefined && server !== this.#server && transport !== undefined) {
        await reconnect(server, transport);
        this.#setup.session.started();
      }
      await this.#connected();
    } finally {
      this.#isMute = false;
    }
  }

  /** False if there is no such session, or it is another caller's. */
  async #isOf(of: HostedOf, caller: HostedCaller): Promise<boolean> {
    const { session, subjectOf } = this.#setup;
    if (of === 'object') return true;
    if (!(await session.exists())) return false;
    const owner = await session.owner();
    return owner === undefined || owner === subjectOf(caller.props);
  }

  async listen(caller: HostedCaller, ...[listen, notify, here]: Listening): Promise<void> {
    await this.described(caller);
    await this.#listeners.listen(listen, { tell: notify, here }, async (method, uri) => {
      const params = JSON.stringify({ uri });
      const request = { of: 'object', method, params, caller, call: crypto.randomUUID() } as const;
      await this.#run(request, { digest: '', answered: [], notify: undefined });
    });
  }

  async describe(of: HostedOf, caller: HostedCaller): Promise<HostedServer | undefined> {
    return (await this.#isOf(of, caller)) ? this.described(caller) : undefined;
  }

  async described(caller: HostedCaller): Promise<HostedServer> {
    const leave = await this.#rights.enter(caller.props);
    if (leave === undefined) throw new Error('Calls with other rights went on for too long');
    try {
      return describedServer((await this.#setup.agent.server) ?? {});
    } finally {
      leave();
    }
  }

  async host(
    request: HostedRequest,
    notify?: (notification: string) => Promise<void>,
    here?: (standing: HostedStanding) => void,
  ): Promise<HostedStep> {
    const { session, subjectOf } = this.#setup;
    const { caller, round, begins } = request;
    if (begins !== undefined) {
      await beginHosted({ ...this.#setup, start: () => this.described(caller) }, caller, begins);
    }
    if (!(await this.#isOf(request.of, caller))) return { kind: 'gone' };
    // A session that was taken back meanwhile has the same object: this call is answered all the same.
    here?.(session.isDrained ? 'drained' : 'live');
    await session.used();
    const digest = await digestOf(request, subjectOf(caller.props));
    return round === undefined
      ? this.#run(request, { digest, answered: [], notify })
      : this.#goOn(request, digest, notify);
  }

  async #goOn(
    request: HostedRequest,
    digest: string,
    notify: ((notification: string) => Promise<void>) | undefined,
  ): Promise<HostedStep> {
    const { token, answers } = request.round ?? { token: '', answers: {} };
    const known = this.#rounds.get(token, digest, Date.now());
    if (known === undefined) return { kind: 'unknown_round' };
    const running = this.#waiting.get(token);
    if (running !== undefined && !running.call.isOver) {
      const leave = await this.#rights.enter(request.caller.props);
      if (leave === undefined) return { kind: 'busy' };
      running.leave = leave;
      this.#byName.set(request.call, running);
      running.call.answer(answers);
      return this.#stepOf(request.call, running, token);
    }
    // The object was put to sleep: the handler runs again and is given the answers in its order of asking.
    const answered = [...known.answered, ...known.asked.flatMap((question) => answeredBy(question, answers))];
    return this.#run(request, { digest, answered, notify, token });
  }

  async #run(
    request: HostedRequest,
    how: {
      readonly digest: string;
      readonly answered: readonly AnsweredQuestion[];
      readonly notify: ((notification: string) => Promise<void>) | undefined;
      readonly token?: string;
    },
  ): Promise<HostedStep> {
    const leave = await this.#rights.enter(request.caller.props);
    if (leave === undefined) return { kind: 'busy' };
    const requestId = `hosted-${crypto.randomUUID()}`;
    const call = new HostedCall({
      requestId,
      caller: request.caller,
      notify: how.notify,
      answered: how.answered,
      deliver: (message) => this.#deliver(message),
      onError: this.#setup.onError,
    });
    const running: Running = { call, digest: how.digest, leave };
    this.#byRequest.set(requestId, running);
    this.#byName.set(request.call, running);
    const params: unknown = request.params === undefined ? undefined : JSON.parse(request.params);
    const { headers, url } = request.caller;
    const message = { id: requestId, method: request.method, ...(params !== undefined && { params }), ...JSON_RPC };
    const extra = { requestInfo: { headers: { ...headers }, url: new URL(url) } };
    const { agent } = this.#setup;
    current.run(call, () => agent.runHosted(() => transportOf(agent)?.onmessage?.(message, extra)));
    return this.#stepOf(request.call, running, how.token);
  }

  /** Waits for the end of a call or for its questions, and notes which of the two it was. */
  async #stepOf(name: string, running: Running, earlier?: string): Promise<HostedStep> {
    // The lane waits for this over RPC, which keeps the object awake; the package's own way costs four writes a call.
    const step = await running.call.step();
    running.leave();
    this.#byName.delete(name);
    if (earlier !== undefined) this.#forget(earlier);
    if (step !== 'questions') {
      this.#byRequest.delete(running.call.requestId);
      return step;
    }
    const token = crypto.randomUUID();
    const { questions, answered } = running.call;
    this.#rounds.keep(token, { digest: running.digest, asked: questions, answered, at: Date.now() });
    this.#waiting.set(token, running);
    return { kind: 'questions', token, questions };
  }

  #forget(token: string): void {
    this.#rounds.forget(token);
    this.#waiting.delete(token);
  }

  #deliver(message: object): void {
    const { agent } = this.#setup;
    const whole = { ...message, ...JSON_RPC };
    if (!takeElicited(agent, whole)) agent.runHosted(() => transportOf(agent)?.onmessage?.(whole));
  }

  /** The client has gone: the handler's signal is aborted, and nobody waits for its answer. */
  cancel(name: string): void {
    if (this.#listeners.end(name)) return;
    const running = this.#byName.get(name);
    if (running === undefined) return;
    const { requestId } = running.call;
    this.#deliver({ method: 'notifications/cancelled', params: { requestId, reason: 'The client has gone' } });
    running.call.end({ kind: 'error', error: { code: -32_000, message: 'The call was cancelled' } });
  }

  /** A session that the stateless lanes have served goes back to the legacy lane: its server learns who its client is. */
  async #takenBack(): Promise<void> {
    if (transportOf(this.#setup.agent) === undefined) return;
    this.#isMute = true;
    try {
      await this.#setup.agent.reinitializeServer();
      // The server answers, which is for nobody, in the next turns.
      await new Promise((resolve) => setTimeout(resolve, 0));
    } finally {
      this.#isMute = false;
    }
  }
}

const JSON_RPC = { jsonrpc: '2.0' } as const;
