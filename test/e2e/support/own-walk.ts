/**
 * Back, at any moment: a class of one's own on one store, plain, wrapped, plain, wrapped, hosted for half of the clients,
 * killed, half of its sessions drained, taken back, and plain again, under the load of real clients that begin at every
 * stage. No client may see an error, but for what a kill cuts short, and each acknowledged count must be there.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { HOSTED_FOR_HALF, PLAIN, WalkServer, WRAPPED } from './walk-server.ts';
import { Walker, type WalkerKind } from './walker.ts';

export interface StageSummary {
  readonly stage: string;
  readonly counts: number;
  /** How many clients each lane has answered last. */
  readonly lanes: Readonly<Record<string, number>>;
}

export interface WalkSummary {
  readonly clients: number;
  readonly acknowledged: number;
  readonly cutShort: number;
  readonly cutShortButDone: number;
  /** Sessions that could be drained at that stage. */
  readonly open: number;
  readonly drained: number;
  readonly takenBack: number;
  readonly stages: readonly StageSummary[];
  /** What no client should have seen. */
  readonly problems: readonly string[];
}

/** Stages at which clients begin, the two that only the whole walk has among them. */
const JOINS = 7;
const JOINS_OF_SHARE = 5;
/** Calls under way at once: more would only wait in the server. */
const AT_ONCE = 8;
/** So often does each client count at each stage, at least. */
const TURNS = 2;
/** A client reports that a stream has ended, and opens another one. */
const IS_STREAM_END = /^SSE stream disconnected/;

/** @param twice Whether the plain class is put back once before anybody is hosted, which takes two deployments more. */
export async function walk(clients: number, twice: boolean): Promise<WalkSummary> {
  const persistTo = await mkdtemp(path.join(tmpdir(), 'hybrid-mcp-walk-'));
  const course = new Course(clients, new WalkServer(persistTo));
  try {
    return await course.run(twice);
  } finally {
    await course.stop();
    await rm(persistTo, { recursive: true, force: true, maxRetries: 3 });
  }
}

class Course {
  readonly #wanted: number;
  readonly #server: WalkServer;
  readonly #walkers: Walker[] = [];
  readonly #problems: string[] = [];
  readonly #stages: StageSummary[] = [];
  #stage = '';
  #joins = 0;
  #shares = JOINS;
  /** Settled when the server that was killed is back. */
  #back: Promise<void> | undefined;
  #acknowledged = 0;
  #cutShort = 0;
  #cutShortButDone = 0;

  constructor(wanted: number, server: WalkServer) {
    this.#wanted = wanted;
    this.#server = server;
  }

  async run(twice: boolean): Promise<WalkSummary> {
    const server = this.#server;
    this.#shares = twice ? JOINS : JOINS_OF_SHARE;
    await this.#at('plain', async () => {
      await server.deploy(PLAIN);
      await this.#during(this.#join('v1', 'v2'));
    });
    await this.#at('wrapped', async () => {
      await server.deploy(WRAPPED);
      await this.#during(this.#join('v1', 'v2'));
    });
    if (twice) {
      await this.#at('plain again', async () => {
        await server.deploy(PLAIN);
        await this.#during(this.#join('v2', 'v1'));
      });
      await this.#at('wrapped again', async () => {
        await server.deploy(WRAPPED);
        await this.#during(this.#join('v2', 'v1'));
      });
    }
    await this.#at('hosted for half', async () => {
      await server.deploy(HOSTED_FOR_HALF);
      await this.#during(this.#join('newest', 'v1', 'v2'));
    });
    await this.#at('killed', async () => this.#during(this.#kill()));
    const { open, drained } = await this.#at('half drained', async () => {
      const moved = await this.#during(server.drainHalf());
      await this.#during(this.#join('v2', 'newest', 'v1'));
      return moved;
    });
    const takenBack = await this.#at('taken back', async () => {
      await this.#during(server.brake(true));
      return this.#during(server.takeAllBack());
    });
    // The plain class does not speak the newest protocol: its clients begin again, in sessions of their own.
    const newest = this.#walkers.filter(({ kind }) => kind === 'newest');
    const before = newest.map(({ value }) => value);
    await this.#at('plain at last', async () => {
      await server.deploy(PLAIN);
      await this.#beginAgain(newest, () => 0);
      await this.#during(this.#join('v1', 'v2'));
    });
    await this.#at('hosted once more', async () => {
      await server.deploy(HOSTED_FOR_HALF);
      await this.#during(server.brake(false));
      await this.#beginAgain(newest, (index) => before[index] ?? 0);
      await this.#during(Promise.resolve());
    });
    return {
      clients: this.#walkers.length,
      acknowledged: this.#acknowledged,
      cutShort: this.#cutShort,
      cutShortButDone: this.#cutShortButDone,
      open,
      drained,
      takenBack,
      stages: this.#stages,
      problems: this.#problems,
    };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#walkers.map((walker) => walker.close()));
    await this.#server.stop();
  }

  /** One stage of the walk, after which everybody's books are looked at. */
  async #at<Result>(stage: string, act: () => Promise<Result>): Promise<Result> {
    this.#stage = stage;
    const before = this.#acknowledged;
    const result = await act();
    const lanes: Record<string, number> = {};
    for (const walker of this.#walkers) {
      lanes[walker.lane] = (lanes[walker.lane] ?? 0) + 1;
      const reported = walker.reported.splice(0).filter((text) => !IS_STREAM_END.test(text));
      for (const text of reported) this.#note(walker, new Error(`reported "${text}"`));
    }
    this.#stages.push({ stage, counts: this.#acknowledged - before, lanes });
    return result;
  }

  /** The next share of the clients begins. */
  async #join(...kinds: WalkerKind[]): Promise<void> {
    this.#joins += 1;
    const from = this.#walkers.length;
    const to = Math.ceil((this.#wanted * this.#joins) / this.#shares);
    for (let at = from; at < to; at += 1) {
      const kind = kinds[(at - from) % kinds.length] ?? 'v1';
      const walker = new Walker(kind, `user-${at}`, this.#server);
      await this.#noting(walker, () => walker.connect());
      this.#walkers.push(walker);
    }
  }

  async #beginAgain(walkers: readonly Walker[], valueOf: (index: number) => number): Promise<void> {
    for (const [index, walker] of walkers.entries()) {
      await walker.close();
      walker.value = valueOf(index);
      await this.#noting(walker, () => walker.connect());
    }
  }

  /** Clients count, again and again, until the work is done, and then until each has counted so often since. */
  async #during<Result>(work: Promise<Result>): Promise<Result> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    // What fails is told once everybody has stopped.
    const settled = Promise.allSettled([done]);
    const meanwhile = [...this.#walkers];
    await Promise.all([settled, this.#load(meanwhile, () => !isDone)]);
    const result = await done;
    const least = new Map(this.#walkers.map((walker) => [walker, walker.counts + TURNS]));
    await this.#load([...this.#walkers], (walker) => walker.counts < (least.get(walker) ?? 0));
    return result;
  }

  /** Has those count that are due, each with one call under way, until nobody is due or as many have failed as there are. */
  async #load(walkers: Walker[], isDue: (walker: Walker) => boolean): Promise<void> {
    const failedBefore = this.#problems.length;
    const loop = async (): Promise<void> => {
      while (this.#problems.length - failedBefore <= this.#walkers.length) {
        const walker = walkers.shift();
        if (walker === undefined) return;
        if (!isDue(walker)) continue;
        await this.#count(walker);
        walkers.push(walker);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, loop));
  }

  async #count(walker: Walker): Promise<void> {
    const { value, isUnsure } = walker;
    try {
      await walker.count();
      this.#acknowledged += 1;
      if (isUnsure && walker.value === value + 2) this.#cutShortButDone += 1;
    } catch (cause) {
      if (this.#back === undefined) return this.#note(walker, cause);
      this.#cutShort += 1;
      walker.isUnsure = true;
      await this.#back;
    }
  }

  async #kill(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#back = promise;
    await this.#server.kill(HOSTED_FOR_HALF);
    for (const walker of this.#walkers) walker.cut();
    // Whoever was cut short has seen it before anybody goes on.
    await new Promise((seen) => setImmediate(seen));
    for (const walker of this.#walkers) walker.reported.length = 0;
    this.#back = undefined;
    resolve();
  }

  async #noting(walker: Walker, act: () => Promise<unknown>): Promise<void> {
    try {
      await act();
    } catch (cause) {
      this.#note(walker, cause);
    }
  }

  #note(walker: Walker, cause: unknown): void {
    this.#problems.push(`${this.#stage}: ${walker.who}: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}
