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

/** 32 bytes. Fetched once per isolate; a failed fetch is tried again by the next caller. */
export function signingKey(env: StateEnv): Promise<Uint8Array> {
  const known = keys.get(env.STATE_OBJECT);
  if (known !== undefined) return known;
  const fetched = fetchKey(env);
  keys.set(env.STATE_OBJECT, fetched);
  fetched.catch(() => keys.delete(env.STATE_OBJECT));
  return fetched;
}

const sealingKeys = new WeakMap<Uint8Array, Promise<CryptoKey>>();

/** The same key as WebCrypto takes it, for the seals of session ids. */
export async function sealingKey(env: StateEnv): Promise<CryptoKey> {
  const bytes = await signingKey(env);
  const known = sealingKeys.get(bytes);
  if (known !== undefined) return known;
  const imported = crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  sealingKeys.set(bytes, imported);
  return imported;
}

async function fetchKey(env: StateEnv): Promise<Uint8Array> {
  const object = env.STATE_OBJECT.getByName(SECRET_OBJECT) as unknown as SecretApi;
  return Uint8Array.from(atob(await object.secret()), (unit) => unit.charCodeAt(0));
}

/** 256 random bits as base64. */
export const newSecret = (): string => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))));
