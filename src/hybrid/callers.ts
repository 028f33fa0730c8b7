/** Reads callers as the options say, and tells the operator once what of a sign-in could not be read. */
import {
  callerOf,
  NOBODY,
  scopesIn,
  subjectIn,
  textIn,
  USUAL_CLIENT_ID,
  USUAL_SCOPES,
  type Caller,
  type CallerReader,
  type Properties,
} from '../shared/caller.ts';
import { reportConfiguration, type Reporter } from '../shared/pipeline/report.ts';
import { issuesText, parseNow, type Schema } from '../shared/schema/standard.ts';
import type { AnyOptions } from './options.ts';

export function createCallerReader(options: AnyOptions, report: Reporter): CallerReader {
  const { subject = 'subject', scopes, clientId } = options;
  const readers = {
    subjectOf: typeof subject === 'string' ? subjectIn(subject) : subject,
    scopesOf: typeof scopes === 'function' ? scopes : scopesIn(scopes === undefined ? USUAL_SCOPES : [scopes]),
    clientIdOf:
      typeof clientId === 'function' ? clientId : textIn(clientId === undefined ? USUAL_CLIENT_ID : [clientId]),
  };
  const told = new Set<string>();
  const tellOnce = (about: string, problem: () => string): void => {
    if (told.has(about)) return;
    told.add(about);
    reportConfiguration(report, [problem()], 'configuration_warning');
  };
  const schema = options.properties as Schema | undefined;

  return (props) => {
    if (props === undefined) return NOBODY;
    const caller = callerOf(props, readers);
    const { properties } = caller;
    if (properties === undefined) return caller;
    if (caller.unidentified === true) tellOnce('subject', () => noSubject(subject, properties));
    return schema === undefined ? caller : parsed(caller, schema, tellOnce);
  };
}

function parsed(caller: Caller, schema: Schema, tell: (about: string, problem: () => string) => void): Caller {
  const read = parseNow(schema, caller.properties);
  if (read.ok) return { ...caller, properties: read.value as Properties };
  tell(
    'properties',
    () =>
      `The sign-in gives properties that the option "properties" refuses: ${issuesText(read.issues)}. Until they fit, such a caller has no properties.`,
  );
  return { ...caller, properties: undefined };
}

/** Names of properties only: a value may be a secret. */
const noSubject = (subject: unknown, properties: Properties): string =>
  `The sign-in names no caller: ${typeof subject === 'string' ? `there is no text in its property "${subject}"` : 'the function "subject" found none in its properties'} (it has ${Object.keys(properties).join(', ')}). Name the right one in the option "subject" of createHybrid; until then nobody has a state of their own, and everybody is the same to flags.`;
