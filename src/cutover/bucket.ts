/** The percentile bucket of a client: always the same for the same key. Pure. */

/** 10,000 buckets: percentages of two decimals. */
const BUCKETS = 10_000;

/**
 * True where a key is within the first `percent` of all keys. A key that is in at some percentage is in at every higher
 * one, so raising it moves nobody back.
 *
 * @param salt Names the roll-out, so that the same clients are not the first in each.
 */
export function inRollout(key: string, salt: string, percent: number): boolean {
  return hash(`${salt}\0${key}`) % BUCKETS < percent * (BUCKETS / 100);
}

/** MurmurHash3's 32-bit finaliser over FNV-1a: well spread, and no cryptography is needed to share out clients. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
