/** The rows of what there is no room for. Pure. */
import type { Counted } from './rows.ts';
import { OTHER, OTHER_CLIENT, UNKNOWN_CLIENT } from './seen.ts';

type Fields = Pick<Counted, 'client' | 'protocolVersion' | 'userAgent' | 'reason'>;

/**
 * What the caller can choose is left out. Whoever says no name stays without one, with the reason, which is a word of our
 * own.
 */
export function otherOf<Row extends Fields>(row: Row): Row {
  const rest = { ...row, protocolVersion: '', userAgent: OTHER };
  return row.client?.name === UNKNOWN_CLIENT.name ? rest : { ...rest, client: OTHER_CLIENT, reason: OTHER };
}

/** A client may call itself "other", but no program has the family "other" and no version in more than a few rows. */
export const isOther = ({ name, version, userAgent }: { name: string; version: string; userAgent: string }): boolean =>
  userAgent === OTHER && version === '' && (name === OTHER || name === UNKNOWN_CLIENT.name);

/** The same in SQL. */
export const IS_OTHER = `user_agent = '${OTHER}' AND version = '' AND name IN ('${OTHER}', '${UNKNOWN_CLIENT.name}')`;
