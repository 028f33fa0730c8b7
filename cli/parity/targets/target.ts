/** What can be compared, as data: where a server is, which era to speak, and what to send along. Reads no environment. */

import { withScheme } from '../../web-address.ts';

export const ERAS = ['auto', '2025', '2026'] as const;
export type EraChoice = (typeof ERAS)[number];
export type Era = '2025' | '2026';

export interface Target {
  readonly name: string;
  readonly address: Address;
  readonly era: EraChoice;
  readonly headers: Readonly<Record<string, string>>;
  /** The name of the environment variable that holds a bearer token; the token itself is nowhere in a report. */
  readonly bearerEnv?: string;
  /** Names of environment variables that a program gets to see beside the usual few. */
  readonly passEnv?: readonly string[];
}

export type Address =
  | { readonly kind: 'http'; readonly url: string }
  /** HTTP+SSE, the transport before Streamable HTTP. */
  | { readonly kind: 'sse'; readonly url: string }
  | { readonly kind: 'stdio'; readonly command: readonly string[]; readonly env?: Readonly<Record<string, string>> };

export type ReadAddress =
  | { readonly ok: true; readonly address: Address }
  | { readonly ok: false; readonly why: string };

/** Reads `https://host/mcp`, `sse:https://host/sse` or `stdio:command with "quoted words"`. */
export function readAddress(text: string): ReadAddress {
  if (text.startsWith('stdio:')) {
    const command = words(text.slice('stdio:'.length));
    if (command.length === 0) return { ok: false, why: 'stdio: needs a command, for example "stdio:npx my-server"' };
    return { ok: true, address: { kind: 'stdio', command } };
  }
  const sse = text.startsWith('sse:');
  const url = sse ? text.slice('sse:'.length) : text;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    const meant = withScheme(url);
    const hint = meant === undefined ? '' : `. Use ${sse ? 'sse:' : ''}${meant}`;
    return { ok: false, why: `a target is an http(s) URL, sse:<URL> or stdio:<command>, not: ${text}${hint}` };
  }
  return { ok: true, address: { kind: sse ? 'sse' : 'http', url } };
}

export function addressText(address: Address): string {
  switch (address.kind) {
    case 'http':
      return address.url;
    case 'sse':
      return `sse:${address.url}`;
    case 'stdio':
      return `stdio:${address.command.map(shellWord).join(' ')}`;
  }
}

/** A word as a POSIX shell reads it back. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

/**
 * Splits a command as a shell does, without running one: single and double quotes group, and a backslash escapes a blank, a
 * quote and a backslash. Before anything else it is itself, and so are the two that a network path of Windows begins with.
 */
function words(command: string): string[] {
  const found = command.match(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/gs) ?? [];
  return found.map((word) =>
    word.replaceAll(
      /'([^']*)'|"((?:\\.|[^"\\])*)"|(?<!^)\\([\s'"\\])|^\\([\s'"])/gs,
      (_all, single?: string, double?: string, plain?: string, first?: string) =>
        single ?? double?.replaceAll(/(?<!^)\\(["\\$`])|^\\(["$`])/g, '$1$2') ?? plain ?? first ?? '',
    ),
  );
}

/** Names of what one of two targets is given and the other is not, or otherwise; never a value, which may be a secret. */
export function differsBy(control: Target, candidate: Target): readonly string[] {
  const envOf = ({ address }: Target): Readonly<Record<string, string>> =>
    address.kind === 'stdio' ? (address.env ?? {}) : {};
  const named = (
    word: string,
    left: Readonly<Record<string, string>>,
    right: Readonly<Record<string, string>>,
  ): readonly string[] =>
    [...new Set([...Object.keys(left), ...Object.keys(right)])]
      .filter((key) => left[key] !== right[key])
      .map((key) => `${word} ${key}`);
  return [
    ...named('header', control.headers, candidate.headers),
    ...named('variable', envOf(control), envOf(candidate)),
  ];
}
