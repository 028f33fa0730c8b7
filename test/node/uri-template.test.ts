/** Resource templates: the variables of a URI, as a regular expression would find them and in linear time. */
import * as fc from 'fast-check';
import { describe, it } from 'vitest';
import { createCatalogue } from '../../src/shared/catalogue/catalogue.ts';
import { parseTemplate } from '../../src/shared/catalogue/uri-template.ts';
import { answer } from '../../src/shared/protocol/answer.ts';
import { fakePorts } from '../support/ports.ts';
import { template } from '../support/valid-definition.ts';

const match = (text: string, uri: string): Record<string, string> | undefined => parseTemplate(text)?.match(uri);

/** The same question put to a regular expression, which tries every combination. For short texts only. */
function byRegExp(text: string, uri: string): Record<string, string> | undefined {
  const parts = text.split(/\{(\w+)\}/);
  const literals = parts.filter((_, index) => index % 2 === 0).map((part) => part.replace(/[?.#]/g, '\\$&'));
  const found = new RegExp(`^${literals.join('([^/?#]+)')}$`).exec(uri)?.slice(1);
  return found === undefined
    ? undefined
    : Object.fromEntries(parts.filter((_, index) => index % 2 === 1).map((name, index) => [name, found[index] ?? '']));
}

describe('a resource template', () => {
  it.for([
    ['x://{a}-{b}', 'x://one-two-three', { a: 'one-two', b: 'three' }],
    ['x://{a}/{b}', 'x://one/two', { a: 'one', b: 'two' }],
    ['x://{a}/{b}', 'x://one/two/three', undefined],
    ['x://{a}.json', 'x://one.json.json', { a: 'one.json' }],
    ['x://{a}--{b}--{c}!', 'x://1--2---3!', { a: '1', b: '2-', c: '3' }],
    ['x://{a}-{b}', 'x://-two', undefined],
    ['x://{a}-{b}', 'x://one-', undefined],
    ['x://{a}', 'x://', undefined],
    ['x://{a}', 'x://a%20b', { a: 'a b' }],
    ['x://{a}', 'x://%ff', undefined],
    ['{a}', 'x', { a: 'x' }],
  ] as const)('%s finds in %s: %j', ([text, uri, variables], { expect }) => {
    expect(match(text, uri)).toEqual(variables);
  });

  it('finds what a regular expression finds', ({ expect }) => {
    const literal = fc.string({ unit: fc.constantFrom('-', 'a', '/', '?'), minLength: 1, maxLength: 3 });
    const edge = fc.string({ unit: fc.constantFrom('-', 'a', '/'), maxLength: 2 });
    const texts = fc
      .tuple(edge, fc.array(literal, { maxLength: 3 }), edge)
      .map(([first, between, last]) => `${first}${['', ...between].map((l, i) => `${l}{v${i}}`).join('')}${last}`);
    const some = fc.string({ unit: fc.constantFrom('-', 'a', '/', '?', 'b'), maxLength: 4 });
    const fills = fc.array(some, { minLength: 4, maxLength: 4 });
    let found = 0;
    fc.assert(
      fc.property(texts, fills, (text, fill) => {
        const uri = text.replace(/\{v(\d)\}/g, (_, index: string) => fill[Number(index)] ?? '');
        const wanted = byRegExp(text, uri);
        if (wanted !== undefined) found += 1;
        expect(match(text, uri), `${text} on ${uri}`).toEqual(wanted);
      }),
      { numRuns: 20_000 },
    );
    expect(found).toBeGreaterThan(500);
  });

  it.for([
    ['x://{a}-{b}', `x://${'-'.repeat(1_000_000)}/`],
    ['x://{a}-{b}-{c}-{d}', `x://${'-'.repeat(1_000_000)}/`],
    ['x://{a}-b-{c}-b-{d}', `x://${'-b'.repeat(500_000)}/`],
  ] as const)('%s gives a million characters up at once', ([text, uri], { expect }) => {
    const begun = performance.now();
    expect(match(text, uri)).toBeUndefined();
    expect(performance.now() - begun).toBeLessThan(1_000);
  });
});

describe('the URI of a request', () => {
  const catalogue = createCatalogue({
    info: { name: 'x', title: 'X', version: '1' },
    instructions: 'X.',
    tools: [],
    templates: [template({ read: (_: unknown, uri: string) => [{ uri, text: 'read' }] })],
  });
  const read = (id: string) => answer(catalogue, 'resources/read', { uri: `test://items/${id}` }, fakePorts(catalogue));

  it('may have 8,192 characters and no more', async ({ expect }) => {
    const longest = 'a'.repeat(8192 - 'test://items/'.length);
    expect(await read(longest)).toMatchObject({ kind: 'result' });
    expect(await read(`${longest}a`)).toEqual({
      kind: 'error',
      verdict: 'rpc_error',
      error: { code: -32602, message: 'Invalid params: "uri" is longer than 8192 characters' },
    });
  });
});
