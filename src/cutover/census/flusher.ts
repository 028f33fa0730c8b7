/**
 * Hands an isolate's counts to the shards: at most one batch a second, to one shard after the other. Each batch is
 * sent until it has arrived, and counts once.
 */
import type { Buffer } from './buffer.ts';
import type { Batch, Taken } from './rows.ts';
import { SHARD_COUNT, shardIn, type CensusEnv } from './shards.ts';

export interface FlusherOptions {
  readonly everyMs: number;
  readonly onTaken: (taken: Taken) => void;
  readonly onError: (cause: unknown) => void;
}

/**
 * The platform lets a request's background work go on for 30 seconds, and then cuts it off. A run of this age is
 * replaced by the next request's, so what comes in always has at least 20 seconds left to go out.
 */
const RUN_AGE_MS = 10_000;
const MAX_TRIES = 3;

export class Flusher {
  readonly #buffer: Buffer;
  readonly #options: FlusherOptions;
  /** The run that is under way, in the background of some request. */
  #run: { readonly since: number } | undefined;
  #sentAt = 0;
  /** Nobody knows whether a batch that failed has arrived, so it stays as it is. */
  #unsent: { readonly shard: number; readonly batch: Batch } | undefined;
  #isolate: string | undefined;
  #seq = 0;
  #shard = 0;

  constructor(buffer: Buffer, options: FlusherOptions) {
    this.#buffer = buffer;
    this.#options = options;
  }

  /** The work to be done in the background of this request; undefined where another request's does it already. */
  start(env: CensusEnv): Promise<void> | undefined {
    const since = Date.now();
    if (this.#run !== undefined && since - this.#run.since < RUN_AGE_MS) return undefined;
    const run = { since };
    this.#run = run;
    return this.#work(env, run);
  }

  /** Hands over everything that there is. */
  async all(env: CensusEnv): Promise<void> {
    // What one shard has no part in is for the next one, and an unsent batch may come first.
    for (let left = SHARD_COUNT + 1; left > 0 && this.#hasWork; left -= 1) await this.#send(env, 0);
  }

  get #hasWork(): boolean {
    return this.#unsent !== undefined || !this.#buffer.isEmpty;
  }

  async #work(env: CensusEnv, run: object): Promise<void> {
    const { everyMs, onError } = this.#options;
    let tries = 0;
    while (this.#run === run && this.#hasWork) {
      await sleep(this.#sentAt + everyMs - Date.now());
      if (this.#run !== run) return;
      this.#sentAt = Date.now();
      try {
        // Each isolate tells every shard within as many rounds as there are shards.
        await this.#send(env, everyMs * (SHARD_COUNT + 1));
        tries = 0;
      } catch (cause) {
        onError(cause);
        tries += 1;
        if (tries >= MAX_TRIES) break;
      }
    }
    if (this.#run === run) this.#run = undefined;
  }

  async #send(env: CensusEnv, heldMs: number): Promise<void> {
    const sending = (this.#unsent ??= this.#next(heldMs));
    if (sending === undefined || env.CENSUS_OBJECT === undefined) return;
    const taken = await shardIn(env.CENSUS_OBJECT, sending.shard).take(sending.batch);
    if (this.#unsent === sending) this.#unsent = undefined;
    this.#options.onTaken(taken);
  }

  #next(heldMs: number): { shard: number; batch: Batch } | undefined {
    // Not before the first request: no random numbers are to be had while a Worker starts.
    if (this.#isolate === undefined) {
      this.#isolate = crypto.randomUUID();
      this.#shard = Number.parseInt(this.#isolate.slice(0, 2), 16) % SHARD_COUNT;
    }
    for (let tried = 0; tried < SHARD_COUNT; tried += 1) {
      const shard = this.#shard;
      this.#shard = (shard + 1) % SHARD_COUNT;
      const part = this.#buffer.take(shard, Date.now(), heldMs);
      if (part === undefined) continue;
      this.#seq += 1;
      return { shard, batch: { isolate: this.#isolate, seq: this.#seq, ...part } };
    }
    return undefined;
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
