/** The tool `qrCode`. */
import { z } from 'zod';
import { defineTool, reply } from 'hybrid-mcp/define';
import { toBase64 } from '../base64.ts';
import { ECC_LEVELS, MAX_BYTES, qrImage, type EccLevel } from '../qr-image.ts';

export const qrCode = defineTool({
  name: 'qrCode',
  title: 'Draw a QR code',
  description: [
    'Draws a text or a URL as a QR code and returns a black and white PNG image, with one line of text about its',
    'size. Up to 1000 characters; text in other scripts takes several bytes a character and may need less error',
    'correction. The text is encoded as it is: nothing is opened, checked or shortened.',
  ].join(' '),
  input: z.object({
    text: z.string().min(1).max(1000).describe('What a scanner shall read, for example https://example.com/.'),
    ecc: z
      .enum(ECC_LEVELS)
      .default('M')
      .describe(
        'Error correction: L repairs 7 % damage, M 15 %, Q 25 %, H 30 %. More makes a denser code. M where left out.',
      ),
    scale: z.int().min(1).max(16).default(4).describe('Pixels a module. 4 where left out.'),
    margin: z
      .int()
      .min(0)
      .max(16)
      .default(4)
      .describe('White modules around the code. Scanners expect 4, the default.'),
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  run: ({ text, ...options }) => {
    const outcome = qrImage(text, options);
    if (!outcome.ok) {
      return reply.error(
        outcome.reason === 'too_long'
          ? tooLong(outcome.bytes, options.ecc)
          : 'The text has half a surrogate pair, which no QR code can carry. Send whole characters.',
      );
    }
    const { png, version, modules, pixels } = outcome.image;
    const code = `QR code, version ${version}, ${modules} × ${modules} modules, error correction ${options.ecc}`;
    return reply.blocks(
      { type: 'image', data: toBase64(png), mimeType: 'image/png' },
      { type: 'text', text: `${code}, ${pixels} × ${pixels} pixels.` },
    );
  },
});

function tooLong(bytes: number, ecc: EccLevel): string {
  const roomier = ECC_LEVELS.filter((level) => bytes <= MAX_BYTES[level]);
  const most = `at most ${MAX_BYTES[ecc]} bytes`;
  const remedy =
    roomier.length === 0
      ? `Shorten it to ${MAX_BYTES.L} bytes and use error correction L`
      : `Use error correction ${roomier.join(' or ')}, or shorten it`;
  return `The text has ${bytes} bytes in UTF-8, and a QR code with error correction ${ecc} holds ${most}. ${remedy}.`;
}
