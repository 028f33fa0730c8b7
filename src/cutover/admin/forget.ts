/** What is said of clients that the census forgets, to the caller and in the audit log. Pure. */
import type { Json } from '../../shared/json.ts';
import type { Junk } from '../census/junk.ts';
import type { JunkFound } from '../census/read.ts';

/** Enough to see whether they are who was meant. */
const MOST_NAMES = 20;

export const foundAnswer = ({ clients, calls }: JunkFound, dryRun: boolean) => ({
  clients: clients.length,
  calls,
  names: namesOf(clients, MOST_NAMES),
  dryRun,
});

export const foundDetail = ({ client, version, atMostCalls }: Junk, { clients, calls }: JunkFound): Json => ({
  ...(client !== undefined && { client }),
  ...(version !== undefined && { version }),
  ...(atMostCalls !== undefined && { atMostCalls }),
  ...{ clients: clients.length, calls, names: namesOf(clients, MOST_NAMES) },
});

const namesOf = (clients: JunkFound['clients'], most: number): string[] =>
  clients.slice(0, most).map(({ name, version }) => (version === '' ? name : `${name}/${version}`));
