/**
 * Many simulated clients at once. What goes wrong for one is noted and stops nobody, so that a run shows all of it. No
 * client has more than one call under way.
 */
import { FleetClient, type Answered, type Path } from './fleet-client.ts';
import { Ledger, type Identity } from './ledger.ts';
import { SseClient } from './sse-client.ts';

/** Requests under way at once: more would only wait in the server. */
const AT_ONCE = 8;
/** How far the next step's first client is from this step's. */
const STRIDE = 97;

export interface Squad {
  readonly name: string;
  readonly era: Identity['era'];
  readonly path: Path;
  readonly size: number;
  /** Distinct user agents begin with this, so that two squads with the same are the same people. */
  readonly people?: string;
}

export class Fleet {
  readonly ledger: Ledger;
  readonly clients: FleetClient[] = [];
  readonly sse: SseClient[] = [];
  /** What no client should have seen. */
  readonly problems: string[] = [];
  #first = 0;

  constructor(origin: string) {
    this.ledger = new Ledger(origin);
  }

  /** Has new clients begin, and count once. */
  async join({ name, era, path, size, people = name }: Squad): Promise<FleetClient[]> {
    const squad = Array.from(
      { length: size },
      (_, index) => new FleetClient(this.ledger, { name, version: '1.0', era, userAgent: `${people}/${index}` }, path),
    );
    await this.each(squad, async (client) => {
      if (era === '2025') await client.begin();
      await client.count();
    });
    this.clients.push(...squad);
    return squad;
  }

  async joinSse(name: string, size: number): Promise<void> {
    for (let index = 0; index < size; index += 1) {
      const client = await SseClient.open(this.ledger, {
        name,
        version: '1.0',
        era: '2025',
        userAgent: `${name}/${index}`,
      });
      await client.count();
      this.sse.push(client);
    }
  }

  /** Every client counts once. */
  async everybody(): Promise<void> {
    await Promise.all([
      this.each(this.clients, (client) => client.count()),
      this.each(this.sse, (client) => client.count()),
    ]);
  }

  /** Every client counts once: some while the work is under way, the others after it, and others the next time. */
  async during<Result>(work: Promise<Result>): Promise<Result> {
    const everybody = [...this.clients, ...this.sse];
    this.#first = (this.#first + STRIDE) % Math.max(everybody.length, 1);
    const turn = [...everybody.slice(this.#first), ...everybody.slice(0, this.#first)][Symbol.iterator]();
    const counting = (): Promise<void> => this.#takeTurns(turn, (client) => client.count());
    // A few only: the work needs the processor too.
    const meanwhile = [counting(), counting()];
    const [result] = await Promise.allSettled([work]);
    await Promise.all([...meanwhile, ...Array.from({ length: AT_ONCE - meanwhile.length }, counting)]);
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  }

  /** Each of them counts once, and these are the lanes that served them. */
  async lanesOf(squad: readonly FleetClient[]): Promise<string[]> {
    await this.each(squad, (client) => client.count());
    return [...new Set(squad.map(({ lane }) => lane))];
  }

  async each<Client>(clients: readonly Client[], act: (client: Client) => Promise<unknown>): Promise<void> {
    const turn = clients[Symbol.iterator]();
    await Promise.all(Array.from({ length: AT_ONCE }, () => this.#takeTurns(turn, act)));
  }

  async #takeTurns<Client>(turn: Iterable<Client>, act: (client: Client) => Promise<unknown>): Promise<void> {
    for (const client of turn) await this.#noting(() => act(client));
  }

  /** Begins a session for each and gives what it was answered with, in order. */
  async beginAll(clients: readonly FleetClient[]): Promise<Answered[]> {
    const answers = new Map<FleetClient, Answered>();
    await this.each(clients, async (client) => answers.set(client, await client.begin()));
    return clients.flatMap((client) => answers.get(client) ?? []);
  }

  async #noting(act: () => Promise<unknown>): Promise<void> {
    try {
      await act();
    } catch (cause) {
      this.problems.push(cause instanceof Error ? cause.message : String(cause));
    }
  }
}
