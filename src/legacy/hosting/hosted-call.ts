/**
 * One request that a stateless lane has brought to an object of the class: what the handler says while it runs, what it
 * asks of the client, and how it ends. A handler that waits for an answer goes on with it as long as its object lives.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { HostedCaller, HostedQuestion, HostedStep, Lacking } from '../../lane/hosting.ts';
import { isPlainObject, type JsonObject } from '../../shared/json.ts';
import type { TransportMessage } from '../package-internals.ts';

/** The hosted call that code runs in, for what a handler does without naming its request. */
export const current = new AsyncLocalStorage<HostedCall>();

/** A question of an earlier run of the handler, with its answer. */
export interface AnsweredQuestion {
  readonly method: string;
  /** As JSON, for comparison. */
  readonly params: string;
  readonly answer: unknown;
}

export interface HostedCallSetup {
  /** The id of the request inside the object: no client's own, since clients of one object may use the same. */
  readonly requestId: string;
  readonly caller: HostedCaller;
  readonly notify: ((notification: string) => Promise<void>) | undefined;
  /** The answers of earlier rounds, in the order in which they were asked for. */
  readonly answered: readonly AnsweredQuestion[];
  /** Hands a message to the server, as its client's. */
  readonly deliver: (message: TransportMessage & { readonly result?: unknown; readonly error?: unknown }) => void;
  readonly onError: (cause: unknown) => void;
}

interface OpenQuestion {
  readonly id: string | number;
  readonly question: HostedQuestion;
}

type Outgoing = TransportMessage & {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
};

/** What a client has to declare for a question of each kind. A client that declares nothing cannot be asked at all. */
const CAPABILITY: Readonly<Record<string, string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};

const declares = ({ capabilities }: HostedCaller, method: string): boolean =>
  capabilities[CAPABILITY[method] ?? ''] !== undefined;

const CANNOT_ASK = {
  code: -32_601,
  message: 'The client of this call cannot be asked: it declares no such capability, or its protocol has no way back',
};

export class HostedCall {
  readonly requestId: string;
  readonly caller: HostedCaller;
  readonly #setup: HostedCallSetup;
  readonly #answered: AnsweredQuestion[] = [];
  readonly #unused: AnsweredQuestion[];
  readonly #open = new Map<string, OpenQuestion>();
  readonly #lacks: Record<string, JsonObject> = {};
  #asked = 0;
  #flush: ReturnType<typeof setTimeout> | undefined;
  #next = Promise.withResolvers<HostedStep | 'questions'>();
  #isOver = false;

  constructor(setup: HostedCallSetup) {
    this.#setup = setup;
    this.requestId = setup.requestId;
    this.caller = setup.caller;
    this.#unused = [...setup.answered];
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The questions that wait for an answer. */
  get questions(): readonly HostedQuestion[] {
    return [...this.#open.values()].map(({ question }) => question);
  }

  /** What the handler has been answered so far, this run included. */
  get answered(): readonly AnsweredQuestion[] {
    return this.#answered;
  }

  /** How the call goes on from here: its end, or the questions that the handler now waits for. */
  async step(): Promise<HostedStep | 'questions'> {
    return this.#next.promise;
  }

  /** Takes what the server sends on behalf of this call. */
  async receive(message: Outgoing): Promise<void> {
    if (message.method !== undefined && message.id !== undefined && message.id !== null) {
      this.#ask(message.id, message.method, message.params as JsonObject | undefined);
    } else if (message.method === 'notifications/cancelled') {
      this.#withdraw(message.params as { readonly requestId?: string | number } | undefined);
    } else if (message.method !== undefined) {
      await this.#setup.notify?.(JSON.stringify({ method: message.method, params: message.params }));
    } else if (message.error !== undefined) {
      this.end({ kind: 'error', error: { ...message.error }, ...this.#lacking });
    } else {
      this.end({ kind: 'result', result: JSON.stringify(message.result ?? {}), ...this.#lacking });
    }
  }

  /** The handler is about to ask what the client may not have declared. */
  asks(method: string, mode?: string): void {
    const capability = CAPABILITY[method];
    if (capability === undefined) return;
    const declared = this.caller.capabilities[capability];
    if (method !== 'elicitation/create') {
      if (declared === undefined) this.#lacks[capability] = {};
      return;
    }
    const form = mode ?? 'form';
    if (!isPlainObject(declared) || declared[form] === undefined) this.#lacks[capability] = { [form]: {} };
  }

  get #lacking(): { readonly lacks?: Lacking } {
    return Object.keys(this.#lacks).length === 0 ? {} : { lacks: this.#lacks };
  }

  /** @param answers By the key of the question. What was not asked is ignored. */
  answer(answers: Readonly<Record<string, unknown>>): void {
    const given = [...this.#open].filter(([key]) => answers[key] !== undefined);
    if (given.length === 0) return;
    this.#next = Promise.withResolvers();
    for (const [key, { id, question }] of given) {
      this.#open.delete(key);
      this.#reply(id, question.method, JSON.stringify(question.params), answers[key]);
    }
    // Those that were not answered are asked again, beside what the handler asks next.
    if (this.#open.size > 0) this.#flushSoon();
  }

  end(step: HostedStep): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#flush !== undefined) clearTimeout(this.#flush);
    this.#next.resolve(step);
  }

  #ask(id: string | number, method: string, params: JsonObject = {}): void {
    this.#asked += 1;
    const asText = JSON.stringify(params);
    // The same handler asks the same in the same order, unless what it asks depends on time or chance: then it asks anew.
    const at = this.#unused.findIndex((earlier) => earlier.method === method && earlier.params === asText);
    const [earlier] = at === -1 ? [] : this.#unused.splice(at, 1);
    if (earlier !== undefined) {
      queueMicrotask(() => this.#reply(id, method, asText, earlier.answer));
      return;
    }
    if (!declares(this.caller, method)) {
      this.asks(method);
      queueMicrotask(() => this.#setup.deliver({ id, error: CANNOT_ASK }));
      return;
    }
    const key = `q${this.#asked}`;
    this.#open.set(key, { id, question: { key, method, params } });
    this.#flushSoon();
  }

  /** Questions that are asked side by side leave together. */
  #flushSoon(): void {
    this.#flush ??= setTimeout(() => {
      this.#flush = undefined;
      if (!this.#isOver && this.#open.size > 0) this.#next.resolve('questions');
    }, 0);
  }

  #reply(id: string | number, method: string, params: string, answer: unknown): void {
    this.#answered.push({ method, params, answer });
    this.#setup.deliver({ id, result: answer });
  }

  /** The SDK gives up on a question, for example after its own time limit. */
  #withdraw(params: { readonly requestId?: string | number } | undefined): void {
    for (const [key, { id }] of this.#open) if (id === params?.requestId) this.#open.delete(key);
  }
}
