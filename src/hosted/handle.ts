/**
 * Handles of 2026-07-28 clients without a sign-in. Each names an object of the class that nobody else is given. Nothing is
 * stored when one is given out: it proves by its seal that it was, and says by itself until when its object may begin.
 */
import { base64Of, hexOf } from '../shared/digest.ts';
import { agentName } from '../state/transfer.ts';

/** 104 random bits, a time, and a seal of 64 bits: 36 characters of base64url. */
const NAME_BYTES = 13;
const TIME_BYTES = 6;
const SEAL_BYTES = 8;
const FORM = /^o_[A-Za-z0-9_-]{36}$/;

export interface OpenedHandle {
  /** The object that it names. */
  readonly object: string;
  /** Milliseconds since 1970. An object that is not there by then was removed, or was never used. */
  readonly beginsUntil: number;
}

export async function newHandle(key: CryptoKey, beginsUntil: number): Promise<string> {
  const bytes = new Uint8Array(NAME_BYTES + TIME_BYTES + SEAL_BYTES);
  crypto.getRandomValues(bytes.subarray(0, NAME_BYTES));
  for (let at = 0; at < TIME_BYTES; at += 1) {
    bytes[NAME_BYTES + at] = Math.floor(beginsUntil / 256 ** (TIME_BYTES - 1 - at)) % 256;
  }
  bytes.set(await sealOf(key, bytes), NAME_BYTES + TIME_BYTES);
  return `o_${base64Of(bytes).replaceAll('+', '-').replaceAll('/', '_')}`;
}

/** @returns Undefined for a text that `newHandle` has not made with this key. */
export async function openHandle(key: CryptoKey, handle: string): Promise<OpenedHandle | undefined> {
  if (!FORM.test(handle)) return undefined;
  const text = atob(handle.slice(2).replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(text, (unit) => unit.charCodeAt(0));
  const given = bytes.subarray(NAME_BYTES + TIME_BYTES);
  const seal = await sealOf(key, bytes);
  if (seal.reduce((differs, byte, index) => differs | (byte ^ (given[index] ?? 0)), 0) !== 0) return undefined;
  return {
    object: agentName(`handle-${hexOf(bytes.subarray(0, NAME_BYTES))}`),
    beginsUntil: bytes.subarray(NAME_BYTES, NAME_BYTES + TIME_BYTES).reduce((time, byte) => time * 256 + byte, 0),
  };
}

async function sealOf(key: CryptoKey, bytes: Uint8Array): Promise<Uint8Array> {
  const text = new TextEncoder().encode(`seal of handle ${hexOf(bytes.subarray(0, NAME_BYTES + TIME_BYTES))}`);
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, text)).subarray(0, SEAL_BYTES);
}
