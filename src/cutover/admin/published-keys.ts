/** The keys that an issuer of tokens publishes, and whose fault it is if one is not found. */
import { createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose';

/** How long keys are used without asking again. Issuers change them in days or weeks, with a time of both. */
const KEYS_CACHE_MS = 10 * 60 * 1000;

/** Not the caller's fault, but that of who should give us the keys. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}

export const remoteKeys = (url: URL): JWTVerifyGetKey => createRemoteJWKSet(url, { cacheMaxAge: KEYS_CACHE_MS });

/** Whatever else fails in a check is the token's own fault. That a key cannot be found, or not only one, is so too. */
export const tellingApart =
  (keys: JWTVerifyGetKey): JWTVerifyGetKey =>
  async (header, token) => {
    try {
      return await keys(header, token);
    } catch (cause) {
      if (cause instanceof errors.JWKSNoMatchingKey || cause instanceof errors.JWKSMultipleMatchingKeys) throw cause;
      throw new KeysUnavailable('The published keys could not be fetched', { cause });
    }
  };
