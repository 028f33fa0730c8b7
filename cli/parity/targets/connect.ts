/**
 * Opens a target in the era that was asked for, and asks it. `auto` decides as SDK v2's client does. What cannot be asked
 * is an observation of kind `harness_error`, never an exception. A connection that lost its session, or whose program
 * ended, is opened again where nothing depends on what was in it.
 */
import { envelopeFaults, type EnvelopeFault } from '../../../src/parity/envelope.ts';
import { observe, type Observation } from '../../../src/parity/observe.ts';
import type { Call } from '../../../src/parity/run-table.ts';
import { errorStatusOf, headersFor, paramsFor, type ServerDescription } from './era.ts';
import { openTarget, type Limits, type Opened } from './open.ts';
import type { Era, Target } from './target.ts';
import { Throttle } from './throttle.ts';
import { WireFault, type FaultReason } from './wire.ts';

export interface Answer {
  readonly saw: Observation;
  readonly ms: number;
  /** Set when the server could not be asked. */
  readonly fault?: FaultReason;
  /** What the era requires and the response does not have. */
  readonly envelope?: readonly EnvelopeFault[];
}

export interface Connection {
  readonly target: Target;
  readonly era: Era;
  readonly protocol: string;
  readonly server: ServerDescription;
  /** Which lane of the server answered, where it says so. */
  readonly lane: string | undefined;
  /** What the era requires and the server's description of itself does not have. */
  readonly envelope: readonly EnvelopeFault[];
  /** True when nothing more can be asked in this session. */
  readonly ended: boolean;
  /** True when it was opened again as often as makes sense, so that nothing can be asked of the target any more. */
  readonly gone: boolean;
  /** @param timeoutMs In place of the usual one. */
  ask(call: Call, timeoutMs?: number): Promise<Answer>;
  close(): Promise<void>;
}

/** A server that loses a second session loses every one. */
const MOST_SESSIONS_AGAIN = 1;
/** A program that ends so often is looked at tool by tool, and most tools have one input that ends it. */
const MOST_STARTS_AGAIN = 60;
const FAILED_STARTS = 3;

/** @throws WireFault when the target cannot be reached, refuses, or does not speak the era. */
export async function connect(target: Target, limits: Limits): Promise<Connection> {
  const throttle = limits.throttleOf?.(target) ?? new Throttle();
  return new Live(target, limits, throttle, await throttle.run(() => openTarget(target, limits)));
}

class Live implements Connection {
  readonly target: Target;
  readonly #limits: Limits;
  readonly #throttle: Throttle;
  readonly #left: Opened[] = [];
  #opened: Opened;
  #opening: Promise<void> | undefined;
  #again = 0;
  #failed = 0;
  #id = 0;

  constructor(target: Target, limits: Limits, throttle: Throttle, opened: Opened) {
    this.target = target;
    this.#limits = limits;
    this.#throttle = throttle;
    this.#opened = opened;
  }

  get era(): Era {
    return this.#opened.era;
  }
  get protocol(): string {
    return this.#opened.protocol;
  }
  get server(): ServerDescription {
    return this.#opened.server;
  }
  get lane(): string | undefined {
    return this.#opened.wire.lane?.();
  }
  get envelope(): readonly EnvelopeFault[] {
    return this.#opened.envelope;
  }
  get ended(): boolean {
    return this.#opened.wire.ended !== undefined && !this.#mayOpenAgain(MOST_STARTS_AGAIN);
  }
  get gone(): boolean {
    return this.ended && this.#limits.reuseConnections !== false;
  }

  async ask(call: Call, timeoutMs: number = this.#limits.timeoutMs): Promise<Answer> {
    let startedAt = performance.now();
    try {
      const message = await this.#throttle.run(async () => {
        const opened = await this.#ready();
        startedAt = performance.now();
        return this.#send(opened, call, timeoutMs);
      });
      const ms = performance.now() - startedAt;
      const saw = observe(message);
      if (saw.kind === 'harness_error') return { saw, ms, fault: 'garbage' };
      const envelope = envelopeFaults(this.era, call.method, message);
      return envelope.length === 0 ? { saw, ms } : { saw, ms, envelope };
    } catch (thrown) {
      const [fault, cause] =
        thrown instanceof WireFault ? [thrown.reason, thrown.message] : (['garbage', String(thrown)] as const);
      return { saw: { kind: 'harness_error', cause }, ms: performance.now() - startedAt, fault };
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#left, this.#opened].map(({ wire }) => wire.close()));
  }

  async #send(opened: Opened, call: Call, timeoutMs: number): Promise<unknown> {
    const { era, protocol, wire } = opened;
    const request = {
      jsonrpc: '2.0',
      id: (this.#id += 1),
      method: call.method,
      params: paramsFor(era, call.params),
    } as const;
    const options = { timeoutMs, headers: headersFor(era, protocol, call), errorStatus: errorStatusOf(era) };
    try {
      return await wire.send(request, options);
    } catch (fault) {
      if (!(fault instanceof WireFault) || fault.reason !== 'session_lost') throw fault;
      // Another call may have opened it again meanwhile.
      const first = this.#opened === opened && this.#opening === undefined;
      if (first && !this.#mayOpenAgain(MOST_SESSIONS_AGAIN)) throw fault;
      await this.#openAgain(opened, fault);
      return this.#opened.wire.send({ ...request, id: (this.#id += 1) }, options);
    }
  }

  async #ready(): Promise<Opened> {
    const opened = this.#opened;
    const { ended } = opened.wire;
    if (ended === undefined) return opened;
    if (this.#opening === undefined && !this.#mayOpenAgain(MOST_STARTS_AGAIN)) throw ended;
    await this.#openAgain(opened, ended);
    return this.#opened;
  }

  #mayOpenAgain(most: number): boolean {
    return this.#limits.reuseConnections !== false && this.#again < most && this.#failed < FAILED_STARTS;
  }

  /** Once for all calls that find the same connection lost. */
  async #openAgain(lost: Opened, fault: WireFault): Promise<void> {
    if (this.#opened !== lost) return;
    this.#opening ??= this.#open(lost, fault).finally(() => {
      this.#opening = undefined;
    });
    await this.#opening;
  }

  async #open(lost: Opened, fault: WireFault): Promise<void> {
    this.#again += 1;
    try {
      this.#opened = await openTarget({ ...this.target, era: lost.era }, this.#limits);
      this.#failed = 0;
    } catch (thrown) {
      this.#failed += 1;
      throw thrown;
    }
    // Calls that are still on their way keep the connection that they were sent on.
    this.#left.push(lost);
    this.#limits.onNotice?.(this.target, { notice: 'opened_again', why: fault.message });
  }
}
