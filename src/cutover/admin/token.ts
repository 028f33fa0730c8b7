/** The admin token: a secret of the Worker that a caller shows as a bearer token. */
import { sha256 } from '../../shared/digest.ts';
import { reportConfiguration, type Reporter } from '../../shared/pipeline/report.ts';

export interface TokenEnv {
  readonly ADMIN_TOKEN?: string;
}

/** Of random characters, more than anybody can try. A shorter one is no protection, so it does not count. */
export const SHORTEST_TOKEN = 32;

const told = new WeakSet<object>();

/** The configured token, or undefined where there is none that counts. A short one is reported once per isolate. */
export function adminToken(env: TokenEnv, reporter: Reporter): string | undefined {
  const token = env.ADMIN_TOKEN;
  if (token === undefined || token === '') return undefined;
  if (token.length >= SHORTEST_TOKEN) return token;
  if (!told.has(env)) {
    told.add(env);
    reportConfiguration(reporter, [`The variable ADMIN_TOKEN must have at least ${SHORTEST_TOKEN} characters.`]);
  }
  return undefined;
}

/** The token of an Authorization header; undefined where the header is absent or of another scheme. */
export const bearerOf = (headers: Headers): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1];

/** Takes the same time wherever the two differ, and however long they are: it compares digests, to the end. */
export async function isSameSecret(one: string, other: string): Promise<boolean> {
  const [left, right] = await Promise.all([sha256(one), sha256(other)]);
  let difference = 0;
  for (const [at, byte] of left.entries()) difference |= byte ^ (right[at] ?? -1);
  return difference === 0;
}
