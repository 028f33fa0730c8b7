/** What is wrong with the options of `signIn`: all of it together, each with its remedy. Pure. */
import type { SignInOptions } from './options.ts';

const KEYS: readonly (keyof SignInOptions)[] = [
  'tokens',
  'authorizationServers',
  'resources',
  'formerly',
  'scopes',
  'name',
  'checkMs',
];

/** @param options As they may come from a caller without types. */
export function problemsOf(options: unknown): readonly string[] {
  if (!isObject(options)) return ['The options are missing: give an object with "tokens".'];
  const lists = [
    ['authorizationServers', isServer, 'an issuer is https://… without a query, or "/" for this origin'],
    ['resources', isResource, 'a resource is https://… without a fragment, or a path that begins with "/"'],
    ['scopes', isScope, 'a scope has no space, quotation mark or backslash'],
  ] as const;
  return [
    ...Object.keys(options)
      .filter((key) => !KEYS.some((known) => known === key))
      .map((key) => `There is no option "${key}": use one of ${KEYS.join(', ')}.`),
    ...tokenProblems(options['tokens']),
    ...lists.flatMap(([key, isGood, rule]) => {
      const given = options[key];
      if (given === undefined || (Array.isArray(given) && given.length > 0 && given.every(isGood))) return [];
      return [`"${key}" cannot be used: give a list, or leave it out; ${rule}.`];
    }),
    ...formerProblems(options['formerly']),
    ...(isMilliseconds(options['checkMs']) ? [] : ['"checkMs" must be a whole number from 1 to 60000.']),
  ];
}

function tokenProblems(tokens: unknown): readonly string[] {
  if (typeof tokens === 'function') return [];
  const isHeader = isObject(tokens) && typeof tokens['header'] === 'string' && typeof tokens['check'] === 'function';
  return isHeader ? [] : ['"tokens" is missing: give a function that says whom a token belongs to.'];
}

function formerProblems(formerly: unknown): readonly string[] {
  if (formerly === undefined) return [];
  if (!Array.isArray(formerly)) return ['"formerly" is no list: give one, or leave it out.'];
  return formerly.flatMap((one: unknown) => {
    if (!isObject(one) || !isResource(one['resource']))
      return ['An entry of "formerly" has no "resource" that can be used.'];
    const until = one['until'];
    const isDate = (typeof until === 'string' || until instanceof Date) && !Number.isNaN(new Date(until).getTime());
    return isDate
      ? []
      : [`The former resource ${String(one['resource'])} has no "until": give a day, such as 2027-03-01.`];
  });
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
const LONGEST_CHECK_MS = 60_000;
const isMilliseconds = (value: unknown): boolean =>
  value === undefined || (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= LONGEST_CHECK_MS);
const isScope = (value: unknown): boolean => typeof value === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value);

function isAbsolute(value: unknown): value is string {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { protocol, hostname, hash } = new URL(value);
  const isLocal = hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
  return hash === '' && (protocol === 'https:' || (protocol === 'http:' && isLocal));
}

const isServer = (value: unknown): boolean => value === '/' || (isAbsolute(value) && new URL(value).search === '');
const isResource = (value: unknown): boolean =>
  isAbsolute(value) || (typeof value === 'string' && /^\/[^?#\s]*$/.test(value) && !value.startsWith('//'));
