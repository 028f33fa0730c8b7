/**
 * Signs certificates with a key that the operator holds. The key is what makes an edited certificate show: who can write
 * the file can also write its table, and only who has the key can sign either.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Certificate } from '../../../src/parity/certificate.ts';
import { canonical } from '../../../src/parity/surface/listing.ts';

export const KEY_VARIABLE = 'MCP_PARITY_KEY';
/** A shorter key could be guessed from a certificate that lies about. */
export const SHORTEST_KEY = 32;

export function signed(certificate: Certificate, key: string): Certificate {
  return { ...certificate, signature: { algorithm: 'HMAC-SHA256', value: macOf(certificate, key) } };
}

/** @param file What was read, whether or not it is a certificate. */
export function signatureOf(file: unknown, key: string | undefined): 'good' | 'bad' | 'unsigned' {
  if (typeof file !== 'object' || file === null || key === undefined) return 'unsigned';
  const { signature } = file as { readonly signature?: { readonly value?: unknown } };
  if (signature === undefined) return 'unsigned';
  const [is, should] = [Buffer.from(String(signature.value)), Buffer.from(macOf(file, key))];
  return is.length === should.length && timingSafeEqual(is, should) ? 'good' : 'bad';
}

function macOf(file: object, key: string): string {
  const { signature: _signature, ...rest } = file as Record<string, unknown>;
  // What the text is for is part of it, so that a signature of another program with this key is none here.
  return createHmac('sha256', key)
    .update(`mcp-parity certificate\n${canonical(rest)}`)
    .digest('hex');
}
