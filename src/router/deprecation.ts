/**
 * Tells clients of the legacy route that it will end: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a link to the
 * successor. The dates are the operator's; without them nothing is said.
 */

export interface DeprecationVars {
  /** ISO 8601 dates or times. */
  readonly DEPRECATION_AT?: string;
  readonly SUNSET_AT?: string;
}

/**
 * Undefined if nothing is configured.
 * @param successor The URL that clients should use instead.
 * @throws TypeError naming the variable and what it may be.
 */
export function deprecationHeaders(
  vars: DeprecationVars,
  successor: () => string,
): Readonly<Record<string, string>> | undefined {
  const deprecation = dateOf('DEPRECATION_AT', vars);
  const sunset = dateOf('SUNSET_AT', vars);
  if (deprecation === undefined && sunset === undefined) return undefined;
  return {
    ...(deprecation !== undefined && { Deprecation: `@${Math.floor(deprecation.getTime() / 1000)}` }),
    ...(sunset !== undefined && { Sunset: sunset.toUTCString() }),
    Link: `<${successor()}>; rel="successor-version"`,
  };
}

function dateOf(name: keyof DeprecationVars, vars: DeprecationVars): Date | undefined {
  const text = vars[name];
  if (text === undefined || text === '') return undefined;
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw new TypeError(`The variable ${name} must be a date, for example 2027-03-31.`);
  return date;
}
