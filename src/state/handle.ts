/**
 * Handles: opaque, unguessable names of a piece of state, which a client may pass back. A handle is the name of the
 * state object that holds the state; a session's handle is derived from its id and does not give the id away.
 */
import { base64Of, sha256 } from '../shared/digest.ts';

const HANDLE = /^h_[A-Za-z0-9_-]{27}$/;
const SESSION = /^c_[A-Za-z0-9_-]{27}$/;

/** 160 random bits: more than the 128 that make guessing hopeless, and 27 characters of base64url. */
const ID_BYTES = 20;

export const newHandle = (): string => `h_${randomText()}`;

/**
 * A session id that the compat lane gives out at `initialize`. Nothing is stored for it, so it carries its own proof that
 * it was given out, and an invented one is told apart without a look into any storage.
 */
export async function newSessionId(key: CryptoKey): Promise<string> {
  const name = crypto.getRandomValues(new Uint8Array(SESSION_NAME_BYTES));
  return `c_${base64url(Uint8Array.of(...name, ...(await sealOf(key, name))))}`;
}

/** True for an id that `newSessionId` has made with this key. */
export async function isIssuedSessionId(key: CryptoKey, sessionId: string): Promise<boolean> {
  if (!isCompatSessionId(sessionId)) return false;
  const bytes = bytesOf(sessionId.slice(2));
  const seal = await sealOf(key, bytes.subarray(0, SESSION_NAME_BYTES));
  return seal.reduce((differs, byte, index) => differs | (byte ^ (bytes[SESSION_NAME_BYTES + index] ?? 0)), 0) === 0;
}

/** 96 random bits and a seal of 64: whoever has no key has 160 bits to guess. */
const SESSION_NAME_BYTES = 12;

async function sealOf(key: CryptoKey, name: Uint8Array): Promise<Uint8Array> {
  const text = new TextEncoder().encode(`seal of session ${base64url(name)}`);
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, text)).subarray(0, ID_BYTES - SESSION_NAME_BYTES);
}

export const isHandle = (text: string): boolean => HANDLE.test(text);
export const isCompatSessionId = (text: string): boolean => SESSION.test(text);

/** The handle of the state that belongs to a session, on the legacy as on the compat lane. */
export const handleOfSession = (sessionId: string): Promise<string> => digestHandle(`handle of session ${sessionId}`);

/** The handle of a signed-in caller's state where neither a handle nor a session names one. Of use to that caller only. */
export const handleOfSubject = (subject: string): Promise<string> => digestHandle(`handle of subject ${subject}`);

async function digestHandle(text: string): Promise<string> {
  return `h_${base64url((await sha256(text)).subarray(0, ID_BYTES))}`;
}

const randomText = (): string => base64url(crypto.getRandomValues(new Uint8Array(ID_BYTES)));

const bytesOf = (text: string): Uint8Array =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (unit) => unit.charCodeAt(0));

function base64url(bytes: Uint8Array): string {
  return base64Of(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
