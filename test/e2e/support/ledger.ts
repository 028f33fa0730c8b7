/** What a fleet has done, by its own books: the other side of what the census says. */

export interface Identity {
  readonly name: string;
  readonly version: string;
  readonly era: '2025' | '2026';
  /** What the Worker shares clients out by, with the address, which is the same for all here. */
  readonly userAgent: string;
}

export type Lane = 'legacy' | 'compat' | 'modern' | 'none';

export interface Seen {
  readonly lane: Lane;
  readonly reason: string;
}

/** Whoever says no name is this in the census. */
const NOBODY = 'unknown';

export class Ledger {
  /** The Worker, which gets another address when it is started again. */
  origin: string;
  /** Requests by "client route lane". */
  readonly calls = new Map<string, number>();
  /** Acknowledged increments. */
  increments = 0;
  /** Sessions that were ever begun. */
  opened = 0;
  readonly #sessions = new Map<string, { readonly client: string; readonly lane: Lane; readonly sse: boolean }>();

  constructor(origin: string) {
    this.origin = origin;
  }

  saw(client: string | undefined, route: string, { headers, ok }: Response): Seen {
    const timing = headers.get('server-timing') ?? '';
    const lane = (/lane;desc="(\w+)"/.exec(timing)?.[1] ?? 'none') as Lane;
    // What was refused was served by nobody.
    const key = `${client ?? NOBODY} ${route} ${ok ? lane : 'none'}`;
    this.calls.set(key, (this.calls.get(key) ?? 0) + 1);
    return { lane, reason: /reason;desc="(\w+)"/.exec(timing)?.[1] ?? '' };
  }

  counted(): void {
    this.increments += 1;
  }

  began({ name }: Identity, lane: Lane, session: string, sse = false): void {
    this.opened += 1;
    this.#sessions.set(session, { client: name, lane, sse });
  }

  ended(session: string): void {
    this.#sessions.delete(session);
  }

  /** Sessions that nobody has ended, by the lane that began them. */
  sessions(lane: Lane, sse = false): number {
    return [...this.#sessions.values()].filter((session) => session.lane === lane && session.sse === sse).length;
  }

  get requests(): number {
    return [...this.calls.values()].reduce((sum, calls) => sum + calls, 0);
  }
}

interface CensusRows {
  readonly clients: readonly {
    readonly name: string;
    readonly lanes: readonly { readonly route: string; readonly lane: string; readonly calls: number }[];
  }[];
}

/** The census in the form of the ledger's calls: clients without a name are one. */
export function callsIn({ clients }: CensusRows): Map<string, number> {
  const calls = new Map<string, number>();
  for (const { name, lanes } of clients) {
    for (const { route, lane, calls: some } of lanes) {
      const key = `${name} ${route} ${lane}`;
      calls.set(key, (calls.get(key) ?? 0) + some);
    }
  }
  return calls;
}
