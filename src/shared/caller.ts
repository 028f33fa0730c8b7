/** The caller, read once from the properties that a sign-in in front of the Worker sets. Pure. */
import { isPlainObject } from './json.ts';

/** The properties of a sign-in, as the platform hands them over. */
export type Properties = Readonly<Record<string, unknown>>;

/** Who calls, as the sign-in in front of the Worker says. */
export interface Caller<P = Properties> {
  /** Undefined without a sign-in. State, sessions and questions of one subject are unknown to every other caller. */
  readonly subject: string | undefined;
  /** What the caller was allowed to do; empty without a sign-in. */
  readonly scopes: readonly string[];
  /** The OAuth client that the caller has signed in with. */
  readonly clientId: string | undefined;
  /** The sign-in's properties; undefined without a sign-in. */
  readonly properties: P | undefined;
  /** True if there was a sign-in, and no subject in its properties. Such a caller has no state of their own. */
  readonly unidentified?: true;
}

/** A caller without a sign-in. */
export const NOBODY: Caller<never> = {
  subject: undefined,
  scopes: [],
  clientId: undefined,
  properties: undefined,
};

/** Finds the subject in the properties of a sign-in. */
export type SubjectReader = (props: Properties) => string | undefined;

/** Finds the scopes in the properties of a sign-in: a list, or a text with spaces in between (RFC 6749, section 3.3). */
export type ScopesReader = (props: Properties) => readonly string[] | string | undefined;

/** Makes a caller of what the platform hands over: the properties of a sign-in, or nothing of use. */
export type CallerReader = (props: unknown) => Caller;

/**
 * Reads the property of this name, `subject` if nothing else is said; nothing that a client sends is ever read.
 * @param property A name, or a path of names with dots, such as `claims.sub`.
 */
export const subjectIn = (property: string): SubjectReader => textIn([property]);

/** Where the text of a sign-in's property is, by the first name that has one. */
export function textIn(properties: readonly string[]): SubjectReader {
  const valueOf = valueIn(properties, (value) => typeof value === 'string' && value !== '');
  return (props) => valueOf(props) as string | undefined;
}

/** Where the scopes of a sign-in are, by the first name that has some. */
export function scopesIn(properties: readonly string[]): ScopesReader {
  const valueOf = valueIn(properties, (value) => typeof value === 'string' || Array.isArray(value));
  return (props) => valueOf(props) as readonly string[] | string | undefined;
}

function valueIn(properties: readonly string[], fits: (value: unknown) => boolean): (props: Properties) => unknown {
  const paths = properties.map((property) => ({ property, names: property.split('.') }));
  return (props) => {
    for (const { property, names } of paths) {
      const path = names.length === 1 || Object.hasOwn(props, property) ? [property] : names;
      const value = path.reduce<unknown>((owner, name) => (isPlainObject(owner) ? owner[name] : undefined), props);
      if (fits(value)) return value;
    }
    return undefined;
  };
}

/** Where sign-ins keep what a caller may do, and the client: as tokens and introspection name them, and as people do. */
export const USUAL_SCOPES = ['scopes', 'scope'] as const;
export const USUAL_CLIENT_ID = ['clientId', 'client_id'] as const;

/** Where the parts of a caller are. */
export interface CallerReaders {
  readonly subjectOf: SubjectReader;
  readonly scopesOf?: ScopesReader;
  readonly clientIdOf?: SubjectReader;
}

const usualScopesOf = scopesIn(USUAL_SCOPES);
const usualClientIdOf = textIn(USUAL_CLIENT_ID);

export function callerOf(props: unknown, readers: CallerReaders): Caller {
  // The platform gives a caller without a sign-in empty properties.
  if (!isPlainObject(props) || Object.keys(props).length === 0) return NOBODY;
  const { subjectOf, scopesOf = usualScopesOf, clientIdOf = usualClientIdOf } = readers;
  const subject = textOf(subjectOf(props));
  return {
    subject,
    scopes: scopesFrom(scopesOf(props)),
    clientId: textOf(clientIdOf(props)),
    properties: props,
    ...(subject === undefined && { unidentified: true }),
  };
}

// A reader that an application gives may find anything.
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const NO_SCOPES: readonly string[] = [];

function scopesFrom(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split(' ').filter((scope) => scope !== '');
  if (!Array.isArray(value)) return NO_SCOPES;
  return value.filter((scope): scope is string => typeof scope === 'string' && scope !== '');
}

/**
 * The properties of a sign-in as JSON text, which is how they reach a Durable Object. A sign-in's properties are JSON
 * values; a BigInt, which JSON has no form for, becomes a text rather than a call that fails.
 */
export const propertiesText = (value: unknown): string =>
  JSON.stringify(value, (_key, member: unknown) => (typeof member === 'bigint' ? String(member) : member));

/** A caller on the way to the owner of a state. */
interface SentCaller extends Caller {
  /** The properties as the platform handed them over, if the option `properties` has made others of them. */
  readonly props?: unknown;
}

/**
 * The caller as text for the owner of a state; undefined for one without a sign-in.
 * @param props The properties as the platform handed them over: what a schema has made of them, a Date for one, is made
 * again there.
 */
export const sentCaller = (caller: Caller, props: unknown): string | undefined =>
  caller === NOBODY
    ? undefined
    : propertiesText({ ...caller, ...(caller.properties !== props && { props }) } satisfies SentCaller);

/**
 * The caller that the owner of a state was sent. A Worker of an earlier version sends no `props`: then its properties are
 * what has become of them as JSON.
 */
export function receivedCaller(sent: string | undefined, read: CallerReader): Caller {
  if (sent === undefined) return NOBODY;
  const { props, ...caller } = JSON.parse(sent) as SentCaller;
  return { ...NOBODY, ...caller, ...(props !== undefined && { properties: read(props).properties }) };
}

/** The subject where nothing else is said: the property `subject`. */
export const usualSubjectOf = (props: unknown): string | undefined =>
  callerOf(props, { subjectOf: subjectIn('subject') }).subject;
