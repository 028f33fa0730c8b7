/** Reads a wrangler configuration in either of its formats. Pure: text in, value out. */
import { parse as parseJson, printParseErrorCode, type ParseError } from 'jsonc-parser';
import { parse as parseToml, TomlError } from 'smol-toml';

/** The names that wrangler looks for, in its order. */
export const CONFIGURATION_FILES = ['wrangler.json', 'wrangler.jsonc', 'wrangler.toml'] as const;

export class ConfigurationSyntaxError extends Error {
  override readonly name = 'ConfigurationSyntaxError';
}

/** @throws ConfigurationSyntaxError that says which format was expected. */
export function parseConfiguration(text: string): unknown {
  return /^\s*(?:\{|\/\/|\/\*)/.test(text) ? jsonIn(text) : tomlIn(text);
}

function jsonIn(text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parseJson(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first === undefined) return value;
  const line = text.slice(0, first.offset).split('\n').length;
  throw new ConfigurationSyntaxError(`is no JSON: ${printParseErrorCode(first.error)} in line ${line}`);
}

function tomlIn(text: string): unknown {
  try {
    return parseToml(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new ConfigurationSyntaxError(`is no TOML: ${error.message.split('\n')[0] ?? ''}`, { cause: error });
  }
}
