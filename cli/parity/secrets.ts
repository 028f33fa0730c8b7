/** What a run is given and must not tell: tokens, values of headers, and values that an address or a variable hides. Pure. */
import type { Target } from './targets/target.ts';

/** Names of what is a secret, whatever its value looks like. */
export const SECRET_NAME = /auth|cookie|token|key|secret|session|passw|credential/i;
/** A value of another name is one when it is long: a team's name, a version or a language is not. */
const LONG = 12;

export function secretsOf(
  targets: readonly Target[],
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const found = targets.flatMap(({ headers, bearerEnv, passEnv = [], address }) => {
    const env = address.kind === 'stdio' ? (address.env ?? {}) : {};
    const named = [...Object.entries(env), ...passEnv.map((name) => [name, environment[name] ?? ''] as const)].filter(
      ([name]) => SECRET_NAME.test(name),
    );
    return [
      ...(bearerEnv === undefined ? [] : [environment[bearerEnv] ?? '']),
      ...Object.entries(headers).flatMap(([name, value]) =>
        SECRET_NAME.test(name) || value.length >= LONG ? [value, value.replace(/^(?:Bearer|Basic|Token) +/i, '')] : [],
      ),
      ...named.map(([, value]) => value),
      ...(address.kind === 'stdio' ? [] : inUrl(address.url)),
    ];
  });
  return found.filter((each) => each !== '');
}

function inUrl(address: string): readonly string[] {
  const { password, searchParams } = new URL(address);
  const hidden = [...searchParams].filter(([name]) => SECRET_NAME.test(name)).map(([, value]) => value);
  return [password, decoded(password), ...hidden];
}

/** `%` alone is allowed in an address, and no encoded letter. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
