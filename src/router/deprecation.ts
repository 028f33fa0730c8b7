/**
 * When the legacy routes will end, as their clients are told: `Deprecation` (RFC 9745) and `Sunset` (RFC 8594). The dates are
 * the operator's; without them nothing is said. The router adds a link to the successor.
 */

export interface DeprecationVars {
  /** ISO 8601 dates or times. */
  readonly DEPRECATION_AT?: string;
  readonly SUNSET_AT?: string;
}

const DATES = ['DEPRECATION_AT', 'SUNSET_AT'] as const satisfies readonly (keyof DeprecationVars)[];

/** A sentence for each variable that cannot be read, which names it and what it may be. */
export const deprecationProblems = (vars: DeprecationVars): readonly string[] =>
  DATES.filter((name) => Number.isNaN(dateOf(vars[name])?.getTime())).map(
    (name) => `The variable ${name} must be a date, for example 2027-03-31.`,
  );

/**
 * The headers with the dates, read once per environment. Undefined if nothing is configured.
 * @param vars Without a problem.
 */
export function deprecationDates(vars: DeprecationVars): Readonly<Record<string, string>> | undefined {
  const deprecation = dateOf(vars.DEPRECATION_AT);
  const sunset = dateOf(vars.SUNSET_AT);
  if (deprecation === undefined && sunset === undefined) return undefined;
  return {
    ...(deprecation !== undefined && { Deprecation: `@${Math.floor(deprecation.getTime() / 1000)}` }),
    ...(sunset !== undefined && { Sunset: sunset.toUTCString() }),
  };
}

const dateOf = (text: string | undefined): Date | undefined =>
  text === undefined || text === '' ? undefined : new Date(text);
