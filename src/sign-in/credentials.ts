/** Finds the token of a request. A query is never read for one (spec 2026-07-28, basic/authorization, token requirements). Pure. */

export type Credentials =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'none' }
  /** Something that is no one token: two of them, or none in the place of one. */
  | { readonly kind: 'malformed' }
  | { readonly kind: 'oversized' };

/** As much as the headers of a request may have in all; a token with many claims has two or three thousand characters. */
const LONGEST_TOKEN = 16 * 1024;

/** @param header A header of its own, if the token is not in `Authorization`. */
export function credentialsIn(headers: Headers, url: URL, header?: string): Credentials {
  const value = headers.get(header ?? 'authorization');
  if (value === null || value === '') return { kind: 'none' };
  if (value.length > LONGEST_TOKEN) return { kind: 'oversized' };
  if (header !== undefined)
    return /^[\w.~+/=-]+$/.test(value) ? { kind: 'token', token: value } : { kind: 'malformed' };
  if (!/^bearer(?:[\t ]|$)/i.test(value)) return { kind: 'none' };
  // A token beside another one (RFC 6750, section 2): two headers arrive as one with a comma.
  if (url.searchParams.has('access_token')) return { kind: 'malformed' };
  const token = /^bearer[\t ]+([^\s,]+)[\t ]*$/i.exec(value)?.[1];
  return token === undefined ? { kind: 'malformed' } : { kind: 'token', token };
}
