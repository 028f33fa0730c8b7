/** Texts and numbers of a schema: formats, patterns, lengths and bounds, with the edges more often than chance has them. */
import * as fc from 'fast-check';
import { usualRange } from './meaning.ts';
import { numberOf, type Schema } from './schema.ts';

const pad = (value: number, length = 2): string => String(value).padStart(length, '0');
const day = fc
  .date({ min: new Date('1970-01-01T00:00:00Z'), max: new Date('2099-12-31T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString());
const clock = fc
  .tuple(fc.nat(23), fc.nat(59), fc.nat(59))
  .map(([hour, minute, second]) => `${pad(hour)}:${pad(minute)}:${pad(second)}Z`);

const FORMATS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'date-time': day,
  date: day.map((text) => text.slice(0, 10)),
  time: clock,
  duration: fc.tuple(fc.nat(30), fc.nat(23)).map(([days, hours]) => `P${days}DT${hours}H`),
  email: fc
    .tuple(fc.stringMatching(/^[a-z][a-z0-9.]{0,8}[a-z]$/), fc.domain())
    .map(([name, host]) => `${name.replaceAll('..', '.')}@${host}`),
  hostname: fc.domain(),
  ipv4: fc.ipV4(),
  ipv6: fc.ipV6(),
  uri: fc.webUrl(),
  url: fc.webUrl(),
  'uri-reference': fc.webPath().map((path) => (path === '' ? '/' : path)),
  iri: fc.webUrl(),
  uuid: fc.uuid(),
  'json-pointer': fc
    .array(fc.stringMatching(/^[a-z0-9]{1,5}$/), { maxLength: 3 })
    .map((parts) => parts.map((part) => `/${part}`).join('')),
  regex: fc.constantFrom('^a+$', '[0-9]{3}', '.*'),
  byte: fc.base64String({ maxLength: 16 }),
  base64: fc.base64String({ maxLength: 16 }),
};

/** Words as people type them, so that a server that searches finds something now and then. */
const WORDS = fc
  .array(fc.constantFrom('the', 'session', 'tool', 'id', 'hello', 'wörld', 'server', '42', 'a', '日本'), {
    minLength: 1,
    maxLength: 4,
  })
  .map((words) => words.join(' '));
/** A text without an upper bound is kept to a size that a person might send. */
const USUAL_MAX_LENGTH = 40;

/** What is known of a text beside its schema; what the schema does not refuse of it comes often. */
export interface ToldText {
  /** What its own description names, and what earlier answers had under its name. */
  readonly meant: readonly string[];
  /** What the rest of the listing names. */
  readonly hints: readonly string[];
  /** What its name and its description say that it is. */
  readonly meaning: fc.Arbitrary<string> | undefined;
}

export function texts(schema: Schema, told?: ToldText): fc.Arbitrary<string> {
  const min = numberOf(schema['minLength']) ?? 0;
  const max = numberOf(schema['maxLength']);
  const fits = (text: string): boolean => {
    const { length } = Array.from(text);
    return length >= min && (max === undefined || length <= max);
  };
  const { pattern, format } = schema;
  if (typeof pattern === 'string') return fromPattern(pattern, min, max, fits);
  const formatted = typeof format === 'string' ? FORMATS[format] : undefined;
  if (formatted !== undefined) return min === 0 && max === undefined ? formatted : formatted.filter(fits);
  const upTo = Math.min(max ?? Math.max(USUAL_MAX_LENGTH, min * 2), Math.max(min, 2_000));
  const edge = (length: number): fc.Arbitrary<string> =>
    fc.string({ unit: 'grapheme-ascii', minLength: length, maxLength: length });
  const meant = told?.meant.filter(fits) ?? [];
  const hints = told?.hints.filter(fits) ?? [];
  const meaning = told?.meaning?.filter(fits);
  return fc.oneof(
    ...(meant.length === 0
      ? []
      : [
          { weight: 6, arbitrary: fc.constantFrom(...meant) },
          // The first are the likeliest.
          { weight: 6, arbitrary: fc.constantFrom(...meant.slice(0, 4)) },
        ]),
    ...(meaning === undefined ? [] : [{ weight: 12, arbitrary: meaning }]),
    ...(hints.length === 0 ? [] : [{ weight: meant.length === 0 ? 5 : 2, arbitrary: fc.constantFrom(...hints) }]),
    {
      weight: 4,
      arbitrary:
        min <= 1 && upTo >= 30 ? WORDS : fc.string({ unit: 'grapheme-ascii', minLength: min, maxLength: upTo }),
    },
    {
      weight: 2,
      arbitrary: fc.string({ unit: 'binary', minLength: min, maxLength: Math.min(upTo, min + 12) }).filter(fits),
    },
    { weight: 1, arbitrary: edge(min) },
    { weight: 1, arbitrary: edge(upTo) },
  );
}

function fromPattern(
  pattern: string,
  min: number,
  max: number | undefined,
  fits: (text: string) => boolean,
): fc.Arbitrary<string> {
  let expression: RegExp;
  try {
    expression = new RegExp(pattern, 'u');
  } catch {
    expression = new RegExp(pattern);
  }
  try {
    const matching = fc.stringMatching(expression, { maxLength: Math.max(max ?? USUAL_MAX_LENGTH, min) });
    return min === 0 && max === undefined ? matching : matching.filter(fits);
  } catch {
    // What the library cannot read (look-behind, back references) is left to chance and to the validator.
    return fc.string({ unit: 'grapheme-ascii', minLength: min, maxLength: max ?? USUAL_MAX_LENGTH });
  }
}

/** What JSON carries exactly between any two implementations. */
const SAFE = Number.MAX_SAFE_INTEGER;

const rounded = (value: number): number => Math.round(value * 1e4) / 1e4 + 0;

/** @param seen Values that earlier answers had under its name. */
export function numbers(schema: Schema, whole: boolean, name = '', seen: readonly number[] = []): fc.Arbitrary<number> {
  const by = byBounds(schema, whole);
  const range = usualRange(name);
  const [low, high] = [numberOf(schema['minimum']) ?? -Infinity, numberOf(schema['maximum']) ?? Infinity];
  const [from, to] = range === undefined ? [1, 0] : [Math.max(range[0], low), Math.min(range[1], high)];
  const usual =
    from > to
      ? []
      : [
          // A number of things is whole even where the schema does not say so.
          fc.oneof(
            {
              weight: 3,
              arbitrary: fc.integer({ min: Math.ceil(from), max: Math.max(Math.floor(to), Math.ceil(from)) }),
            },
            ...(whole ? [] : [{ weight: 1, arbitrary: fc.double({ min: from, max: to, noNaN: true }).map(rounded) }]),
          ),
        ];
  return fc.oneof(
    { weight: 4, arbitrary: by },
    ...usual.map((arbitrary) => ({ weight: 6, arbitrary })),
    ...(seen.length === 0 ? [] : [{ weight: 4, arbitrary: fc.constantFrom(...seen) }]),
  );
}

function byBounds(schema: Schema, whole: boolean): fc.Arbitrary<number> {
  const step = numberOf(schema['multipleOf']) ?? (whole ? 1 : undefined);
  const low = numberOf(schema['minimum']);
  const high = numberOf(schema['maximum']);
  const above = numberOf(schema['exclusiveMinimum']);
  const below = numberOf(schema['exclusiveMaximum']);
  if (step !== undefined) return multiples(step, { low, high, above, below });
  const min = Math.max(low ?? -1e9, above ?? -1e9);
  const max = Math.min(high ?? 1e9, below ?? 1e9);
  const inside = (value: number): boolean =>
    (above === undefined || value > above) && (below === undefined || value < below);
  const any = fc
    .double({ min, max: Math.max(min, max), noNaN: true, noDefaultInfinity: true })
    .map((value) => value + 0)
    .filter(inside);
  const edges = [low, high, 0, 1, -1, 0.5].filter(
    (value) => value !== undefined && value >= min && value <= max && inside(value),
  );
  return edges.length === 0
    ? any
    : fc.oneof(
        { weight: 3, arbitrary: any },
        { weight: 2, arbitrary: fc.constantFrom(...(edges as number[])) },
        {
          weight: 3,
          arbitrary: fc
            .integer({
              min: Math.ceil(Math.max(min, -100)),
              max: Math.max(Math.floor(Math.min(max, 1_000)), Math.ceil(Math.max(min, -100))),
            })
            .filter((value) => value >= min && value <= max && inside(value)),
        },
      );
}

interface Bounds {
  readonly low: number | undefined;
  readonly high: number | undefined;
  readonly above: number | undefined;
  readonly below: number | undefined;
}

function multiples(step: number, { low, high, above, below }: Bounds): fc.Arbitrary<number> {
  const from = Math.max(Math.ceil((low ?? -SAFE) / step), above === undefined ? -SAFE : Math.floor(above / step) + 1);
  const to = Math.min(Math.floor((high ?? SAFE) / step), below === undefined ? SAFE : Math.ceil(below / step) - 1);
  const [min, max] = [Math.max(from, -SAFE), Math.max(Math.min(to, SAFE), Math.max(from, -SAFE))];
  const near = fc.integer({ min: clamp(-20, min, max), max: clamp(20, min, max) });
  const edges = fc.constantFrom(min, max, clamp(min + 1, min, max), clamp(max - 1, min, max));
  const all = fc.oneof(
    { weight: 6, arbitrary: near },
    { weight: 2, arbitrary: fc.integer({ min, max }) },
    { weight: 2, arbitrary: edges },
  );
  return all.map((count) => count * step + 0);
}

const clamp = (value: number, min: number, max: number): number => Math.min(Math.max(value, min), max);
