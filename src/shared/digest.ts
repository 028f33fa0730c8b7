/** SHA-256 of a text, and how its bytes are written down. */

/** The 32 bytes of the digest. */
export const sha256 = async (text: string): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));

export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

export const base64Of = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
