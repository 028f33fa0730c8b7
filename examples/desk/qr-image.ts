/**
 * Draws a text as a QR code in a PNG. Pure. Text that no QR code can hold is a value, not an exception; turning it
 * into words is left to the tool.
 */
import { encode as encodePng } from 'fast-png';
import { encode as encodeQr } from 'uqr';

/** From most data to most repair. */
export const ECC_LEVELS = ['L', 'M', 'Q', 'H'] as const;
export type EccLevel = (typeof ECC_LEVELS)[number];

/** Most bytes in byte mode, version 40 (ISO/IEC 18004, table 7). Digits and capitals alone take less room. */
export const MAX_BYTES: Readonly<Record<EccLevel, number>> = { L: 2953, M: 2331, Q: 1663, H: 1273 };

/** Rows repeat `scale` times. From level 6 on fflate finds that: a tenth of the size of level 5, in the same time. */
const ZLIB = { level: 6 } as const;

export interface QrOptions {
  readonly ecc: EccLevel;
  /** Pixels a module. */
  readonly scale: number;
  /** White modules around the code. */
  readonly margin: number;
}

export interface QrImage {
  readonly png: Uint8Array;
  /** 1 to 40. */
  readonly version: number;
  /** Modules a side, without the margin. */
  readonly modules: number;
  readonly pixels: number;
}

export type QrOutcome =
  | { readonly ok: true; readonly image: QrImage }
  | { readonly ok: false; readonly reason: 'too_long'; readonly bytes: number }
  | { readonly ok: false; readonly reason: 'not_unicode' };

export function qrImage(text: string, { ecc, scale, margin }: QrOptions): QrOutcome {
  // Half a surrogate pair has no UTF-8 form.
  if (/\p{Surrogate}/u.test(text)) return { ok: false, reason: 'not_unicode' };
  const bytes = new TextEncoder().encode(text).byteLength;
  if (bytes > MAX_BYTES[ecc]) return { ok: false, reason: 'too_long', bytes };

  const qr = encodeQr(text, { ecc, border: 0 });
  const pixels = (qr.size + 2 * margin) * scale;
  const data = bitmap(qr.data, { scale, margin, pixels });
  const png = encodePng({ width: pixels, height: pixels, data, depth: 1, channels: 1 }, { zlib: ZLIB });
  return { ok: true, image: { png, version: qr.version, modules: qr.size, pixels } };
}

/** One bit a pixel, white is 1; each row begins on a byte. */
function bitmap(
  modules: readonly (readonly boolean[])[],
  { scale, margin, pixels }: { readonly scale: number; readonly margin: number; readonly pixels: number },
): Uint8Array {
  const stride = Math.ceil(pixels / 8);
  const data = new Uint8Array(stride * pixels).fill(0xff);
  for (const [y, row] of modules.entries()) {
    const top = (margin + y) * scale * stride;
    for (const [x, black] of row.entries()) {
      if (!black) continue;
      const left = (margin + x) * scale;
      for (let pixel = left; pixel < left + scale; pixel += 1) {
        const at = top + (pixel >> 3);
        data[at] = (data[at] ?? 0) & ~(0x80 >> (pixel & 7));
      }
    }
    for (let copy = 1; copy < scale; copy += 1) data.copyWithin(top + copy * stride, top, top + stride);
  }
  return data;
}
