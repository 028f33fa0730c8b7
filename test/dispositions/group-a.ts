/** Group A: what the lists say about tools, prompts and resources. */
import type { Disposition } from './types.ts';

const LISTINGS = 'test/contract/listings.test.ts';
const CASES = 'test/contract/cases.ts';
const SCHEMAS = 'test/node/catalogue-refusals.test.ts';
const DEFINITIONS = 'test/node/catalogue-refusals-definitions.test.ts';
const PROMPTS = 'test/node/catalogue-refusals-prompts.test.ts';

export const GROUP_A: readonly Disposition[] = [
  {
    id: 'A1',
    title: 'Dialect of the listed schemas',
    plain: { legacy: 'draft-07', compat: '2020-12', modern: '2020-12' },
    disposition: 'identical',
    now: 'Every lane lists 2020-12, and says so.',
    proof: [{ file: LISTINGS, tests: ['every schema says the one dialect and uses no word of an older one'] }],
  },
  {
    id: 'A2',
    title: 'A draft-07 output schema makes some clients refuse the tool',
    plain: { legacy: 'refused by such clients', compat: 'fine', modern: 'fine' },
    disposition: 'identical',
    now: 'Output schemas are 2020-12 on every lane too.',
    proof: [
      {
        file: LISTINGS,
        tests: [
          'every schema says the one dialect and uses no word of an older one',
          'a tuple, a shared definition, a default, icons and metadata are listed',
        ],
      },
    ],
  },
  {
    id: 'A3',
    title: 'Form of a tuple',
    plain: { legacy: '`items: […]`', compat: '`prefixItems`', modern: '`prefixItems`' },
    disposition: 'identical',
    now: '`prefixItems` with `items: false` everywhere.',
    proof: [{ file: LISTINGS, tests: ['a tuple, a shared definition, a default, icons and metadata are listed'] }],
  },
  {
    id: 'A4',
    title: 'Where shared and recursive schemas are defined',
    plain: { legacy: '`definitions`', compat: '`$defs`', modern: '`$defs`' },
    disposition: 'identical',
    now: '`$defs` everywhere, with the references that go there.',
    proof: [
      {
        file: LISTINGS,
        tests: [
          'a tuple, a shared definition, a default, icons and metadata are listed',
          'a recursive schema is listed with $defs',
        ],
      },
    ],
  },
  {
    id: 'A5',
    title: 'An input that is a union at its root',
    plain: { legacy: 'lists an empty object', compat: 'lists the union', modern: 'lists the union' },
    disposition: 'refused',
    now: 'The catalogue is not built; the text says to wrap it in an object.',
    proof: [{ file: SCHEMAS, tests: ['an input that is %s at its root is refused'] }],
  },
  {
    id: 'A6',
    title: 'An input that is no object at its root',
    plain: { legacy: 'lists an empty object', compat: 'tools/list fails', modern: 'tools/list fails' },
    disposition: 'refused',
    now: 'The catalogue is not built, so it cannot break the list of the others.',
    proof: [{ file: SCHEMAS, tests: ['an input that is %s at its root is refused'] }],
  },
  {
    id: 'A7',
    title: 'Schemas made by Zod 3',
    plain: { legacy: 'fine', compat: 'throws, or tools/list fails', modern: 'throws, or tools/list fails' },
    disposition: 'refused',
    now: 'Refused when the catalogue is built, as an object and as a bare shape.',
    proof: [{ file: SCHEMAS, tests: ['a Zod 3 object is refused', 'a bare shape of Zod 3 is refused'] }],
  },
  {
    id: 'A8',
    title: 'Schemas of a Zod that cannot say its JSON Schema (4.0, 4.1)',
    plain: { legacy: 'fine', compat: 'descriptions are lost', modern: 'descriptions are lost' },
    disposition: 'refused',
    now: 'Refused when the catalogue is built; the text names the version that works.',
    proof: [{ file: SCHEMAS, tests: ['a schema of a Zod that cannot say its JSON Schema is refused'] }],
  },
  {
    id: 'A9',
    title: '`additionalProperties` of an input depends on the version of Zod',
    plain: { legacy: 'false with Zod 3', compat: 'absent', modern: 'absent' },
    disposition: 'identical',
    now: 'Absent everywhere, and unknown arguments are dropped everywhere, as that says.',
    proof: [
      { file: LISTINGS, tests: ['a tuple, a shared definition, a default, icons and metadata are listed'] },
      { file: CASES, tests: ['unknown arguments are dropped'] },
      { file: SCHEMAS, tests: ['a Zod 3 object is refused'] },
    ],
  },
  {
    id: 'A10',
    title: '`execution.taskSupport` on every tool',
    plain: { legacy: 'added', compat: 'absent', modern: 'absent' },
    disposition: 'identical',
    now: 'Absent everywhere.',
    proof: [{ file: LISTINGS, tests: ['no entry has a key beside those of the catalogue'] }],
  },
  {
    id: 'A11',
    title: 'Icons of tools and prompts, metadata of prompts',
    plain: { legacy: 'dropped', compat: 'listed', modern: 'listed' },
    disposition: 'identical',
    now: 'Listed everywhere.',
    proof: [
      { file: LISTINGS, tests: ['a tuple, a shared definition, a default, icons and metadata are listed'] },
      { file: CASES, tests: ['prompts are listed with icons and meta'] },
    ],
  },
  {
    id: 'A12',
    title: 'A prompt argument with a default',
    plain: { legacy: 'required', compat: 'optional', modern: 'optional' },
    disposition: 'refused',
    now: 'Refused; the text says to make it optional and choose in `messages()`.',
    proof: [{ file: PROMPTS, tests: ['an argument with a default is refused'] }],
  },
  {
    id: 'A13',
    title: 'Completions of an optional prompt argument',
    plain: { legacy: 'one nesting works', compat: 'the other works', modern: 'the other works' },
    disposition: 'identical',
    now: 'Completers stand beside the arguments, so there is no nesting to get wrong.',
    proof: [
      { file: CASES, tests: ['a prompt argument is completed', 'an argument without a completer has no values'] },
      { file: PROMPTS, tests: ['a completer for an argument that it does not have is refused'] },
    ],
  },
  {
    id: 'A14',
    title: 'An output that is no object at its root',
    plain: { legacy: 'not listed, every call fails', compat: 'wrapped in `result`', modern: 'listed as it is' },
    disposition: 'refused',
    now: 'The catalogue is not built; the text says to wrap it in an object.',
    proof: [{ file: SCHEMAS, tests: ['an output that is %s at its root is refused'] }],
  },
  {
    id: 'A15',
    title: 'Keys around a list',
    plain: { legacy: 'none', compat: 'none', modern: '`resultType`, `ttlMs`, `cacheScope`, server info' },
    disposition: 'documented',
    ours: {
      legacy: 'none',
      compat: 'none',
      modern: '`resultType: "complete"`, `ttlMs: 0`, `cacheScope: "private"`, `_meta` with the server info',
    },
    reference: 'spec 2026-07-28, changelog, items 2, 5 and 8',
    why: 'The newer protocol demands them, and a 2025 client has no use for them. No caching: a deployment may change the list.',
    proof: [{ file: LISTINGS, tests: ['only modern puts the envelope of its protocol around a list: %s'] }],
  },
  {
    id: 'A16',
    title: '`cacheHint` of a resource',
    plain: { legacy: 'published as metadata', compat: 'taken as a hint', modern: 'taken as a hint' },
    disposition: 'refused',
    now: 'An unknown key, like any other; refused for every kind of definition.',
    proof: [
      { file: PROMPTS, tests: ['a cache hint is refused'] },
      { file: DEFINITIONS, tests: ['an unknown key is refused, such as a cache hint'] },
    ],
  },
  {
    id: 'A17',
    title: 'Tools registered while a call runs',
    plain: { legacy: 'stay for the session', compat: 'gone with the request', modern: 'gone with the request' },
    disposition: 'refused',
    now: 'A catalogue never changes, a tool is given nothing to change it with, and no lane says that its lists change.',
    proof: [
      { file: DEFINITIONS, tests: ['a list that grows after building changes nothing'] },
      { file: LISTINGS, tests: ['no lane declares that its lists change: %s'] },
    ],
  },
  {
    id: 'A18',
    title: '`x-mcp-header` in a schema',
    plain: { legacy: 'ignored', compat: 'ignored', modern: 'calls fail without the header' },
    disposition: 'refused',
    now: 'Refused wherever it is a keyword; an argument that is only called so is fine.',
    proof: [
      {
        file: SCHEMAS,
        tests: ['x-mcp-header is refused, however deep', 'a property that is only called x-mcp-header is fine'],
      },
    ],
  },
  {
    id: 'A19',
    title: 'Results that do not keep to the listed output schema',
    plain: { legacy: 'sent as they are', compat: 'sent as they are', modern: 'sent as they are' },
    disposition: 'identical',
    now: 'What is sent is what the schema gave: with its defaults, without other keys.',
    proof: [
      { file: LISTINGS, tests: ['the result of %s keeps to the output schema that this lane lists'] },
      {
        file: 'test/contract/random-catalogues.test.ts',
        tests: ['every call is answered alike, and as its lane listed it'],
      },
    ],
  },
  {
    id: 'A20',
    title: 'Order of keys',
    plain: { legacy: 'one order', compat: 'another', modern: 'another' },
    disposition: 'identical',
    now: 'Lists are the same text on every lane. Parity still compares meaning, never text.',
    proof: [{ file: LISTINGS, tests: ['%s is the same text, to the order of keys'] }],
  },
];
