/** The tool `qrCode`: the image is decoded and looked at, module by module. */
import { decode, type DecodedPng } from 'fast-png';
import { describe, it } from 'vitest';
import { toBase64 } from '../../../examples/desk/base64.ts';
import { openDesk } from './open-desk.ts';

const URL_TEXT = 'https://example.com/';

async function draw(args: Readonly<Record<string, unknown>>) {
  const { content } = await openDesk().call('qrCode', args);
  const [image, text] = content;
  if (image?.type !== 'image' || text?.type !== 'text') throw new TypeError(`No image: ${JSON.stringify(content)}`);
  const bytes = Uint8Array.from(atob(image.data), (char) => char.charCodeAt(0));
  return { bytes, mimeType: image.mimeType, text: text.text, png: decode(bytes, { checkCrc: true }) };
}

const isBlack = ({ width, data }: DecodedPng, x: number, y: number): boolean =>
  (((data[y * Math.ceil(width / 8) + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1) === 0;

/** A square of modules as text, `#` for black, read in the middle of each module. */
function modules(png: DecodedPng, at: { x: number; y: number; size: number; scale: number }): readonly string[] {
  const middle = (module: number): number => module * at.scale + (at.scale >> 1);
  return Array.from({ length: at.size }, (_, row) =>
    Array.from({ length: at.size }, (__, column) =>
      isBlack(png, middle(at.x + column), middle(at.y + row)) ? '#' : '.',
    ).join(''),
  );
}

/** The finder pattern with the white line around it (ISO/IEC 18004, 6.3.3), as it stands at the top left. */
const FINDER = ['#######.', '#.....#.', '#.###.#.', '#.###.#.', '#.###.#.', '#.....#.', '#######.', '........'];

describe('qrCode', () => {
  it('draws a black and white PNG of 33 by 33 modules with the default margin and scale', async ({ expect }) => {
    const { bytes, mimeType, text, png } = await draw({ text: URL_TEXT });
    expect(mimeType).toBe('image/png');
    expect([...bytes.subarray(0, 8)]).toEqual([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    expect([png.width, png.height, png.depth, png.channels]).toEqual([132, 132, 1, 1]);
    expect(text).toBe('QR code, version 2, 25 × 25 modules, error correction M, 132 × 132 pixels.');
    expect(bytes.length).toBeLessThan(400);
  });

  it.for([
    { scale: 1, margin: 0 },
    { scale: 3, margin: 5 },
    { scale: 4, margin: 4 },
    { scale: 16, margin: 1 },
  ])('has the three finder patterns where they belong at %j', async ({ scale, margin }, { expect }) => {
    const { png } = await draw({ text: URL_TEXT, scale, margin });
    const far = margin + 25 - 8;
    expect(png.width).toBe((25 + 2 * margin) * scale);
    expect(modules(png, { x: margin, y: margin, size: 8, scale })).toEqual(FINDER);
    expect(modules(png, { x: far, y: margin, size: 8, scale })).toEqual(
      FINDER.map((row) => row.split('').toReversed().join('')),
    );
    expect(modules(png, { x: margin, y: far, size: 8, scale })).toEqual(FINDER.toReversed());
  });

  it('fills each module to its edges and leaves the margin white', async ({ expect }) => {
    const scale = 3;
    const { png } = await draw({ text: URL_TEXT, scale, margin: 2 });
    for (let y = 0; y < 6; y += 1) for (let x = 0; x < png.width; x += 1) expect(isBlack(png, x, y)).toBe(false);
    for (let y = 6; y < 9; y += 1) for (let x = 6; x < 27; x += 1) expect(isBlack(png, x, y)).toBe(true);
    expect([isBlack(png, 5, 6), isBlack(png, 27, 6)]).toEqual([false, false]);
  });

  it('is a code that an independent reader (jsQR) read as 01234567', async ({ expect }) => {
    const { png } = await draw({ text: '01234567', ecc: 'M', scale: 1, margin: 0 });
    expect(modules(png, { x: 0, y: 0, size: 21, scale: 1 })).toEqual([
      '#######...###.#######',
      '#.....#.###...#.....#',
      '#.###.#..##...#.###.#',
      '#.###.#..#.##.#.###.#',
      '#.###.#.##.##.#.###.#',
      '#.....#....#..#.....#',
      '#######.#.#.#.#######',
      '.....................',
      '#.#.#.#...#.#...#..#.',
      '##.#....#.##.#.#...#.',
      '...##.###.##.###.###.',
      '##..##.#.#.###.##..#.',
      '..#..###.###.###....#',
      '........#.#...#....#.',
      '#######.....#...#...#',
      '#.....#...#...#..#.##',
      '#.###.#.###.#.#.###.#',
      '#.###.#..#.#.#.#.###.',
      '#.###.#.##.#.###..#.#',
      '#.....#....###.###...',
      '#######.#..#.###..#.#',
    ]);
  });

  it.for([
    ['L', 'version 2, 25 × 25'],
    ['M', 'version 2, 25 × 25'],
    ['Q', 'version 2, 25 × 25'],
    ['H', 'version 3, 29 × 29'],
  ] as const)('makes room for error correction %s', async ([ecc, size], { expect }) => {
    expect((await draw({ text: URL_TEXT, ecc })).text).toContain(`${size} modules, error correction ${ecc},`);
  });

  it('draws the largest image it allows, in little space', async ({ expect }) => {
    const { bytes, png } = await draw({ text: 'x'.repeat(1000), ecc: 'H', scale: 16, margin: 16 });
    expect([png.width, png.height]).toEqual([3088, 3088]);
    expect(bytes.length).toBeLessThan(20_000);
  });

  it('carries exactly as many bytes as its error correction leaves room for', async ({ expect }) => {
    // 637 letters of two bytes each are 1274: one too many for H.
    expect((await draw({ text: `${'é'.repeat(636)}x`, ecc: 'H' })).text).toContain('version 40, 177 × 177 modules');
    expect(await openDesk().refusal('qrCode', { text: 'é'.repeat(637), ecc: 'H' })).toBe(
      'The text has 1274 bytes in UTF-8, and a QR code with error correction H holds at most 1273 bytes. Use error correction L or M or Q, or shorten it.',
    );
    expect((await draw({ text: `${'日'.repeat(554)}x`, ecc: 'Q' })).text).toContain('version 40');
    expect((await draw({ text: '日'.repeat(777), ecc: 'M' })).text).toContain('version 40');
    expect((await draw({ text: `${'日'.repeat(984)}x`, ecc: 'L' })).text).toContain('version 40');
  });

  it('says what to do where no error correction leaves enough room', async ({ expect }) => {
    expect(await openDesk().refusal('qrCode', { text: '日'.repeat(1000) })).toBe(
      'The text has 3000 bytes in UTF-8, and a QR code with error correction M holds at most 2331 bytes. Shorten it to 2953 bytes and use error correction L.',
    );
  });

  it('refuses half a surrogate pair, but not a whole one', async ({ expect }) => {
    expect(await openDesk().refusal('qrCode', { text: 'a\ud83d' })).toBe(
      'The text has half a surrogate pair, which no QR code can carry. Send whole characters.',
    );
    expect((await draw({ text: '😀' })).png.width).toBe(116);
  });

  it.for([
    ['no text', { text: '' }, 'text: Too small: expected string to have >=1 characters'],
    ['1001 characters', { text: 'x'.repeat(1001) }, 'text: Too big: expected string to have <=1000 characters'],
    ['a scale of 17', { text: 'x', scale: 17 }, 'scale: Too big: expected number to be <=16'],
    ['a negative margin', { text: 'x', margin: -1 }, 'margin: Too small: expected number to be >=0'],
    ['a level in lower case', { text: 'x', ecc: 'm' }, 'ecc: Invalid option: expected one of "L"|"M"|"Q"|"H"'],
  ] as const)('refuses %s', async ([, args, why], { expect }) => {
    expect(await openDesk().refusal('qrCode', args)).toBe(`Invalid arguments for tool "qrCode": ${why}`);
  });
});

describe('toBase64', () => {
  it.for([
    [[], ''],
    [[0], 'AA=='],
    [[255, 254], '//4='],
    [[77, 97, 110], 'TWFu'],
  ] as const)('writes %j as "%s"', ([bytes, text], { expect }) => {
    expect(toBase64(Uint8Array.from(bytes))).toBe(text);
  });

  it('takes more bytes than fit on the stack, across the seams of its chunks', ({ expect }) => {
    const bytes = Uint8Array.from({ length: 1_000_003 }, (_, index) => (index * 31) & 0xff);
    expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
  });
});
