/**
 * What earlier versions kept in the agent's own state (`this.state`), all in one. It is moved to the keys where it belongs
 * now when it is read first, which is within one idle time, or the session ends.
 */
import { isPlainObject } from '../shared/json.ts';
import type { CatalogueRecord } from './catalogue-states.ts';
import type { MoveEarlier } from './session/options.ts';
import { KEY_PREFIX, SESSION_KEY } from './session/record.ts';

/** The key of the catalogue's record of a session. */
export const CATALOGUE_KEY = `${KEY_PREFIX}catalogue`;

interface EarlierState extends CatalogueRecord {
  readonly drained?: boolean;
}

/** Both in one turn, so that no moment has the record in two places or in none. */
export const moveEarlierState: MoveEarlier = (agent, storage) => {
  const { state } = agent;
  if (!isEarlierState(state)) return;
  const { drained, ...catalogue } = state;
  if (drained !== undefined) storage.kv.put(SESSION_KEY, { drained });
  storage.kv.put(CATALOGUE_KEY, catalogue);
  agent.setState(null);
};

function isEarlierState(state: unknown): state is EarlierState {
  if (!isPlainObject(state) || !isPlainObject(state['holding'])) return false;
  const { epoch, owner } = state['holding'];
  return typeof epoch === 'number' && typeof owner === 'boolean';
}
