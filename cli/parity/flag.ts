/** What a flag is: its value, its words, its default and its key in the configuration file. */
import { InvalidArgumentError } from 'commander';

export interface Flag<Value, Fallback extends Value | undefined = undefined> {
  /** How its value is called in the help; missing for a switch. */
  readonly value?: string;
  readonly help: string;
  /** @param before What the same flag gave before, where it may be given several times. */
  readonly parse: (text: string, before: Value | undefined) => Value;
  readonly fallback: Fallback;
  /** Where the configuration file has it, as keys with dots between them. */
  readonly config?: string;
  readonly choices?: readonly string[];
  /** Its value is a file, for the completion of a shell. */
  readonly isFile?: true;
}

interface More {
  readonly config?: string;
}

export const toggle = (help: string, more: More = {}): Flag<boolean> => ({
  help,
  parse: () => true,
  fallback: undefined,
  ...more,
});

export const text = (value: string, help: string, more: More = {}): Flag<string> => ({
  value,
  help,
  parse: (given) => given,
  fallback: undefined,
  ...more,
});

export const file = (help: string, more: More = {}): Flag<string> => ({ ...text('<file>', help, more), isFile: true });

/** One value each time that it is given. */
export const many = (value: string, help: string, more: More = {}): Flag<readonly string[]> => ({
  value,
  help,
  parse: (given, before = []) => [...before, given],
  fallback: undefined,
  ...more,
});

export const files = (help: string, more: More = {}): Flag<readonly string[], readonly string[]> => ({
  ...many('<file>', help, more),
  fallback: [],
  isFile: true,
});

/** Several values with commas between them. */
export const listed = (value: string, help: string, more: More = {}): Flag<readonly string[], readonly string[]> => ({
  value,
  help,
  parse: (given, before = []) => [...before, ...given.split(',').map((each) => each.trim())],
  fallback: [],
  ...more,
});

export const choice = <Name extends string>(
  value: string,
  help: string,
  choices: readonly Name[],
  more: More = {},
): Flag<Name> => ({ value, help, parse: (given) => chosen(given, choices), fallback: undefined, choices, ...more });

export const choices = <Name extends string>(
  value: string,
  help: string,
  names: readonly Name[],
): Flag<readonly Name[]> => ({
  value,
  help,
  parse: (given, before = []) => [...before, chosen(given, names)],
  fallback: undefined,
  choices: names,
});

function chosen<Name extends string>(given: string, names: readonly Name[]): Name {
  const found = names.find((each) => each === given);
  if (found === undefined) throw new InvalidArgumentError(`It takes ${names.join(', ')}.`);
  return found;
}

export const whole = (
  value: string,
  help: string,
  [min, max]: readonly [number, number],
  more: More = {},
): Flag<number> => ({
  value,
  help,
  parse: (given) => {
    const number = Number(given);
    if (!Number.isInteger(number) || number < min || number > max)
      throw new InvalidArgumentError(`It takes a whole number from ${min} to ${max}.`);
    return number;
  },
  fallback: undefined,
  ...more,
});

export const positive = (value: string, help: string, more: More = {}): Flag<number> => ({
  value,
  help,
  parse: (given) => {
    const number = Number(given);
    if (!(number > 0)) throw new InvalidArgumentError('It takes a number above 0.');
    return number;
  },
  fallback: undefined,
  ...more,
});

/** The same flag with a value where nobody gives one. */
export const usually = <Value>(fallback: Value, flag: Flag<Value>): Flag<Value, Value> => ({ ...flag, fallback });

/** What the flags of a table give, before defaults. */
export type Given<Table> = {
  readonly [Key in keyof Table]?: Table[Key] extends Flag<infer Value, infer _Fallback> ? Value : never;
};

/** What they come to, with the configuration file and the defaults. */
export type Settled<Table> = {
  readonly [Key in keyof Table]: Table[Key] extends Flag<infer Value, infer Fallback>
    ? undefined extends Fallback
      ? Value | undefined
      : Value
    : never;
};

export type FlagTable = Readonly<
  Record<string, Omit<Flag<never>, 'parse' | 'fallback'> & { readonly fallback: unknown }>
>;

/** The command line wins over the file, and the file over the default. */
export function settle<Table extends FlagTable>(table: Table, given: Given<Table>, config: object): Settled<Table> {
  return Object.fromEntries(
    Object.entries(table).map(([name, { config: key, fallback }]) => [
      name,
      (given as Record<string, unknown>)[name] ?? (key === undefined ? undefined : valueAt(config, key)) ?? fallback,
    ]),
  ) as Settled<Table>;
}

const valueAt = (config: object, key: string): unknown =>
  key.split('.').reduce<unknown>((at, each) => (at as Record<string, unknown> | undefined)?.[each], config);

/** `controlBearerEnv` is written `--control-bearer-env`. */
export const optionName = (name: string): string =>
  `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
