/**
 * A call that is refused for a scope is answered: the caller is known, and may make others (RFC 6750, section 3.1, and spec
 * 2025-11-25, basic/authorization). Any other 401 or 403 says that nothing can be asked.
 */
import { isPlainObject } from '../../../src/shared/json.ts';
import { readJson } from './wire.ts';

const CHALLENGE = /\berror="?insufficient_scope\b/;

export function isScopeRefusal(status: number, challenge: string | undefined, body: string): boolean {
  if (status !== 403 || challenge === undefined || !CHALLENGE.test(challenge)) return false;
  const message = readJson(body);
  return isPlainObject(message) && typeof message['id'] === 'number' && isPlainObject(message['error']);
}
