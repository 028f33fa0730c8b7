/** The caller, read once from the properties that a sign-in in front of the Worker sets. Pure. */
import { isPlainObject } from './json.ts';

/** The caller, according to the sign-in in front of the Worker. */
export interface Caller {
  /** Undefined without a sign-in. State, sessions and questions of one subject are unknown to every other caller. */
  readonly subject: string | undefined;
  /** The sign-in's properties as the platform hands them over; undefined or empty without a sign-in. */
  readonly props: Readonly<Record<string, unknown>> | undefined;
}

/** Finds the subject in the properties of a sign-in. */
export type SubjectReader = (props: Readonly<Record<string, unknown>>) => string | undefined;

/**
 * Reads the property of this name, `subject` if nothing else is said; nothing that a client sends is ever read.
 * @param property A name, or a path of names with dots, such as `claims.sub`.
 */
export const subjectIn =
  (property: string): SubjectReader =>
  (props) => {
    const path = Object.hasOwn(props, property) ? [property] : property.split('.');
    const subject = path.reduce<unknown>((owner, name) => (isPlainObject(owner) ? owner[name] : undefined), props);
    return typeof subject === 'string' && subject !== '' ? subject : undefined;
  };

export function callerOf(props: unknown, subjectOf: SubjectReader): Caller {
  if (!isPlainObject(props)) return { subject: undefined, props: undefined };
  const subject: unknown = subjectOf(props);
  // A reader that an application gives may find anything.
  return { subject: typeof subject === 'string' && subject !== '' ? subject : undefined, props };
}

/** The subject where nothing else is said: the property `subject`. */
export const usualSubjectOf = (props: unknown): string | undefined => callerOf(props, subjectIn('subject')).subject;
