/** A cohort: clients that share a name, a version, an era or a subject. As text, and as the conditions of a flag's rule. Pure. */
import { couldNot } from './stop.ts';

export interface Cohort {
  readonly client?: string;
  /** A version, or the beginning of one followed by `*`. */
  readonly version?: string;
  readonly era?: '2025' | '2026';
  readonly subject?: string;
}

export interface Condition {
  readonly attribute: string;
  readonly operator: string;
  readonly value: unknown;
}

export interface CohortFlags {
  readonly client?: string;
  readonly era?: string;
  readonly subject?: string;
}

/** Undefined where the flags name no cohort, which means everybody. */
export function readCohort({ client, era, subject }: CohortFlags): Cohort | undefined {
  if (client === undefined && era === undefined && subject === undefined) return undefined;
  if (era !== undefined && era !== '2025' && era !== '2026')
    throw couldNot(`--era "${era}" is not known`, 'Use --era 2025 or --era 2026.');
  if (subject === '')
    throw couldNot('--subject is empty', 'Use the subject that your sign-in names, for example --subject user-1.');
  return {
    ...(client !== undefined && readClient(client)),
    ...(era !== undefined && { era }),
    ...(subject !== undefined && { subject }),
  };
}

/** `name`, `name/1.2.3` or `name/1.*`. The last slash divides, because names may have some: `@scope/client/1.0`. */
export function readClient(text: string): { readonly client: string; readonly version?: string } {
  const at = text.lastIndexOf('/');
  const [client, version] =
    at > 0 && /^[0-9v*]/.test(text.slice(at + 1)) ? [text.slice(0, at), text.slice(at + 1)] : [text, undefined];
  if (client.trim() === '' || text.endsWith('/')) {
    throw couldNot(
      `--client "${text}" names no client`,
      'Use a name, or a name and a version: --client claude-code/1.2.3 or --client "claude-code/1.*".',
    );
  }
  return version === undefined || version === '*' ? { client } : { client, version };
}

export function conditionsOf({ client, version, era, subject }: Cohort): readonly Condition[] {
  const equals = (attribute: string, value: string | undefined): readonly Condition[] =>
    value === undefined ? [] : [{ attribute, operator: 'equals', value }];
  const versions: readonly Condition[] =
    version?.endsWith('*') === true
      ? [{ attribute: 'clientVersion', operator: 'starts_with', value: version.slice(0, -1) }]
      : equals('clientVersion', version);
  return [...equals('clientName', client), ...versions, ...equals('era', era), ...equals('subject', subject)];
}

/** The cohort of a rule that this command wrote; undefined for any other rule. */
export function cohortOf(conditions: readonly unknown[]): Cohort | undefined {
  const found: { -readonly [Key in keyof Cohort]: string } = {};
  for (const condition of conditions) {
    const { attribute, operator, value } = condition as Partial<Condition>;
    if (typeof value !== 'string') return undefined;
    if (attribute === 'clientVersion' && operator === 'starts_with') found.version = `${value}*`;
    else if (operator !== 'equals') return undefined;
    else if (attribute === 'clientName') found.client = value;
    else if (attribute === 'clientVersion') found.version = value;
    else if (attribute === 'era') found.era = value;
    else if (attribute === 'subject') found.subject = value;
    else return undefined;
  }
  return Object.keys(found).length === conditions.length && conditions.length > 0 ? (found as Cohort) : undefined;
}

export function cohortText({ client, version, era, subject }: Cohort): string {
  const parts = [
    client === undefined ? undefined : `client ${client}${version === undefined ? '' : `/${version}`}`,
    era === undefined ? undefined : `era ${era}`,
    subject === undefined ? undefined : `subject ${subject}`,
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}

/** Whether a client of the census belongs to the cohort, as far as the census can tell. */
export function includes(
  { client, version, era }: Cohort,
  row: { readonly name: string; readonly version: string; readonly era: string },
): boolean {
  const isVersion =
    version === undefined ||
    (version.endsWith('*') ? row.version.startsWith(version.slice(0, -1)) : row.version === version);
  return (client === undefined || row.name === client) && isVersion && (era === undefined || row.era === era);
}
