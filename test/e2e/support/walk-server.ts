/** The server of the walk, one version after the other on the same store, and its operator. */
import { startDevServer, type DevServer } from '../../../scripts/lib/dev-server.ts';
import type { Address } from './walker.ts';

const CONFIG = { plain: 'test/own-agent/walk/plain.toml', changed: 'test/own-agent/walk/changed.toml' } as const;
const ADMIN_TOKEN = 'a-token-of-thirty-two-characters';
const START_TIMEOUT_MS = 90_000;
/** More than any number of sessions needs, by hundreds. */
const MAX_ROUNDS = 20;

export interface Version {
  readonly config: keyof typeof CONFIG;
  readonly vars: Readonly<Record<string, string>>;
}

export const PLAIN: Version = { config: 'plain', vars: {} };
export const WRAPPED: Version = { config: 'changed', vars: { ADMIN_TOKEN } };
export const HOSTED_FOR_HALF: Version = {
  config: 'changed',
  vars: {
    ADMIN_TOKEN,
    LEGACY_ROUTE_STAGE: 'legacy',
    LEGACY_ROUTE_NEXT: 'stateless',
    LEGACY_ROUTE_PERCENT: '50',
    MCP_ROUTE_STAGE: 'stateless',
  },
};

export class WalkServer implements Address {
  origin = new Promise<string>(() => undefined);
  readonly #persistTo: string;
  #server: DevServer | undefined;

  constructor(persistTo: string) {
    this.#persistTo = persistTo;
  }

  /** Stops one version and starts the next. Nobody may call meanwhile; whoever opens a stream waits. */
  async deploy(version: Version): Promise<void> {
    await this.#start(version, async () => this.#server?.stop());
  }

  /** Without a warning, and back with the same store. */
  async kill(version: Version): Promise<void> {
    await this.#server?.kill();
    await this.#start(version);
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
  }

  brake(on: boolean): Promise<unknown> {
    return this.#admin('/brake', { on, why: 'walk' });
  }

  /** @returns How many sessions there are to drain, and how many of them it has drained. */
  async drainHalf(): Promise<{ readonly open: number; readonly drained: number }> {
    const { matched } = await this.#admin('/drain', { all: true, dryRun: true, why: 'walk' });
    const open = Number(matched);
    const { changed } = await this.#admin('/drain', { all: true, limit: Math.ceil(open / 2), why: 'walk' });
    return { open, drained: Number(changed) };
  }

  /** @returns How many sessions it has taken back. */
  async takeAllBack(): Promise<number> {
    let moved = 0;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const { changed, left } = await this.#admin('/take-back', { all: true, limit: 200, why: 'walk' });
      moved += Number(changed);
      if (left === 0) return moved;
    }
    throw new Error(`Not all were taken back after ${MAX_ROUNDS} rounds`);
  }

  async #start({ config, vars }: Version, before: () => Promise<void> = async () => {}): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<string>();
    this.origin = promise;
    await before();
    this.#server = await startDevServer({
      config: CONFIG[config],
      persistTo: this.#persistTo,
      vars,
      startTimeoutMs: START_TIMEOUT_MS,
    });
    resolve(this.#server.url);
  }

  async #admin(at: string, body: object): Promise<Readonly<Record<string, unknown>>> {
    const response = await fetch(`${await this.origin}/admin${at}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ who: 'walk', ...body }),
    });
    const answer = await response.json<Readonly<Record<string, unknown>>>();
    if (!response.ok) throw new Error(`${at}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  }
}
