/**
 * The key that signs what we let clients carry. One for the whole deployment, so that any isolate can check what any
 * other signed. A state object makes it at first use and keeps it.
 */
import type { StateEnv } from './state-port.ts';

/** Not a handle by form, so no client can ever name this object. */
export const SECRET_OBJECT = 'secret';

export interface SecretApi {
  secret(): Promise<string>;
}

const keys = new WeakMap<object, Promise<Uint8Array>>();

/** 32 bytes. */
export const signingKey = ({ STATE_OBJECT: objects }: StateEnv): Promise<Uint8Array> =>
  keyFrom(objects, () => (objects.getByName(SECRET_OBJECT) as unknown as SecretApi).secret());

/**
 * Fetched once per isolate; a failed fetch is tried again by the next caller.
 * @param owner The namespace whose deployment the key belongs to.
 * @param secret Asks the object that keeps it.
 */
export function keyFrom(owner: object, secret: () => Promise<string>): Promise<Uint8Array> {
  const known = keys.get(owner);
  if (known !== undefined) return known;
  const fetched = fetchKey(secret);
  keys.set(owner, fetched);
  fetched.catch(() => keys.delete(owner));
  return fetched;
}

const sealingKeys = new WeakMap<Uint8Array, Promise<CryptoKey>>();

/** The same key as WebCrypto takes it, for the seals of session ids. */
export const sealingKey = async (env: StateEnv): Promise<CryptoKey> => sealingKeyOf(await signingKey(env));

export async function sealingKeyOf(bytes: Uint8Array): Promise<CryptoKey> {
  const known = sealingKeys.get(bytes);
  if (known !== undefined) return known;
  const imported = crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  sealingKeys.set(bytes, imported);
  return imported;
}

const fetchKey = async (secret: () => Promise<string>): Promise<Uint8Array> =>
  Uint8Array.from(atob(await secret()), (unit) => unit.charCodeAt(0));

/** 256 random bits as base64. */
export const newSecret = (): string => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))));
