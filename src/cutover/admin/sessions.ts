/**
 * Moves open sessions of the legacy lane: drains them to the stateless lanes, takes them back, or ends them. Works on a
 * few at once and says how many are left, so that a caller can go on. Session ids never appear in what it says.
 */
import type { Json } from '../../shared/json.ts';
import type { OpenSession } from '../census/rows.ts';
import { given, refuse, type Problem, type Result } from './answer.ts';
import type { SessionsChange } from './body.ts';
import type { Agent, CensusPort } from './ports.ts';

export type Move = 'drain' | 'take_back' | 'end';

export interface Moved {
  /** Sessions that were meant, and not there already. */
  readonly matched: number;
  readonly changed: number;
  /** Ended meanwhile, by their client or their age. */
  readonly gone: number;
  /** Did not move; or did, and the census could not be told, so that they are listed again. A second move is harmless. */
  readonly failed: number;
  /** For the next request, those that failed among them. */
  readonly left: number;
  readonly dryRun: boolean;
}

export interface MoveDeps<Env> {
  readonly env: Env;
  readonly census: CensusPort<Env>;
  readonly agentOf: (sessionId: string) => Agent;
  readonly onError: (cause: unknown) => void;
  /** Told before the first session moves, how many are about to. Nothing moves where it throws. */
  readonly begins: (sessions: number) => Promise<void>;
}

/** A Worker has six connections at once; more would only wait. */
const AT_ONCE = 6;

export async function moveSessions<Env>(
  move: Move,
  change: SessionsChange,
  deps: MoveDeps<Env>,
): Promise<Result<Moved>> {
  const { session, limit, skip, dryRun } = change;
  const meant = session === undefined ? await select(move, change, deps) : await named(session, move, deps);
  if (!meant.ok) return meant;
  const matched = meant.value.length;
  if (dryRun) return given({ matched, changed: 0, gone: 0, failed: 0, left: matched, dryRun });

  const chosen = meant.value.slice(skip, skip + limit);
  if (chosen.length > 0) await deps.begins(chosen.length);
  const outcomes = await inTurn(chosen, (id) => moveOne(move, id, deps));
  const having = (outcome: Outcome): readonly string[] => chosen.filter((_id, at) => outcomes[at] === outcome);
  const changed = having('changed');
  const over = move === 'end' ? [...changed, ...having('gone')] : having('gone');
  const gone = having('gone').length;
  const failed = having('failed').length;
  const noted = await tellCensus(move, { changed, over }, deps);
  const done = noted ? changed.length + gone : 0;
  return given({
    matched,
    changed: noted ? changed.length : 0,
    gone: noted ? gone : 0,
    failed: noted ? failed : chosen.length,
    left: matched - done,
    dryRun,
  });
}

/** For the audit log: whose sessions, and how many are about to move. */
export const beginsDetail = (change: SessionsChange, sessions: number): Json => ({ ...whoseOf(change), sessions });

/** For the audit log: whose sessions, how many, and how it went. */
export const moveDetail = (change: SessionsChange, { matched, changed, gone, failed, left }: Moved): Json => ({
  ...whoseOf(change),
  ...{ matched, changed, gone, failed, left },
});

const whoseOf = ({ session, client, version, olderThanMs }: SessionsChange) => ({
  whose: session === undefined ? (client ?? 'all') : 'one session',
  ...(version !== undefined && { version }),
  ...(olderThanMs !== undefined && { olderThanMs }),
});

type Outcome = 'changed' | 'gone' | 'failed';

async function moveOne<Env>(move: Move, id: string, { agentOf, onError }: MoveDeps<Env>): Promise<Outcome> {
  try {
    const agent = agentOf(id);
    switch (move) {
      case 'drain':
        return (await agent.drain()) ? 'changed' : 'gone';
      case 'take_back':
        return (await agent.takeBack()) ? 'changed' : 'gone';
      case 'end':
        if ((await agent.standing()) === 'gone') return 'gone';
        await agent.endSession();
        return 'changed';
    }
  } catch (cause) {
    onError(cause);
    return 'failed';
  }
}

async function select<Env>(
  move: Move,
  { client, version, olderThanMs }: SessionsChange,
  { env, census }: MoveDeps<Env>,
): Promise<Result<readonly string[]>> {
  const sessions = await census.sessions(env, {
    ...(client !== undefined && { client }),
    ...(version !== undefined && { version }),
    ...(olderThanMs !== undefined && { olderThanMs }),
  });
  if (sessions.length > 0 || client === undefined) return given(movable(move, sessions));
  const { clients } = await census.read(env);
  const isKnown = clients.some((row) => row.name === client && (version === undefined || row.version === version));
  return isKnown ? given([]) : refuse(unknownClient(clients, client, version));
}

const movable = (move: Move, sessions: readonly Pick<OpenSession, 'id' | 'drained'>[]): readonly string[] =>
  sessions.filter(({ drained }) => move === 'end' || drained === (move === 'take_back')).map(({ id }) => id);

async function named<Env>(id: string, move: Move, { agentOf }: MoveDeps<Env>): Promise<Result<readonly string[]>> {
  switch (await agentOf(id).standing()) {
    case 'gone':
    case 'foreign':
      return refuse({
        status: 404,
        code: 'unknown_session',
        message: 'The legacy lane has no session with this id',
        remedy: 'It may have ended. Compare with: npm run cutover -- census',
      });
    case 'live':
      return given(move === 'take_back' ? [] : [id]);
    case 'drained':
      return given(move === 'drain' ? [] : [id]);
  }
}

const MOST_NAMES = 10;

function unknownClient(clients: readonly { readonly name: string }[], client: string, version?: string): Problem {
  const names = [...new Set(clients.map(({ name }) => name))].sort();
  const known = names.length === 0 ? 'none yet' : names.slice(0, MOST_NAMES).join(', ');
  return {
    status: 404,
    code: 'unknown_client',
    message: `The census has no client "${client}"${version === undefined ? '' : ` of version "${version}"`}`,
    remedy: `Use a name as the census has it: ${known}${names.length > MOST_NAMES ? ', …' : ''}.`,
  };
}

/** False where the census could not be told. */
async function tellCensus<Env>(
  move: Move,
  { changed, over }: { readonly changed: readonly string[]; readonly over: readonly string[] },
  { env, census, onError }: MoveDeps<Env>,
): Promise<boolean> {
  try {
    if (move !== 'end' && changed.length > 0) await census.setDrained(env, changed, move === 'drain');
    for (const id of over) await census.ended(env, id);
    return true;
  } catch (cause) {
    // The sessions have moved; the census learns of it with their next calls.
    onError(cause);
    return false;
  }
}

/** Keeps the order of the outcomes. */
async function inTurn<In, Out>(items: readonly In[], work: (item: In) => Promise<Out>): Promise<readonly Out[]> {
  const outcomes: Out[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    outcomes.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(work))));
  }
  return outcomes;
}
