/**
 * The command line of `mcp-parity` as one table for each command: a new flag is one line here. Parsing, help, defaults,
 * the keys of the configuration file and the completion of shells are made from it. Reads nothing and runs nothing.
 */
import { Command, InvalidArgumentError, Option } from 'commander';
import manifest from '../../packages/mcp-parity/package.json' with { type: 'json' };
import { readLeast, USUAL_LEAST, type Least } from '../../src/parity/certificate.ts';
import { SANITIZERS } from '../../src/parity/sanitize.ts';
import { CHANGE_CLASSES } from '../../src/parity/surface/listing.ts';
import { KEY_VARIABLE } from './certificate/sign.ts';
import { SHELLS } from './completion.ts';
import {
  choice,
  choices,
  file,
  files,
  listed,
  many,
  optionName,
  positive,
  text,
  toggle,
  usually,
  whole,
  type Flag,
  type FlagTable,
  type Given,
} from './flag.ts';
import { ERAS } from './targets/target.ts';

const HOUR_MS = 3_600_000;
const ANY_SEED = [0, 2 ** 31 - 1] as const;

const least: Flag<Least, Least> = {
  value: '<numbers>',
  help: `distinct inputs of each tool that must have succeeded on the control, as 20 or 20,lookup=8 (default ${USUAL_LEAST.usual})`,
  parse: (given) => {
    const read = readLeast(given);
    if (read === undefined) throw new InvalidArgumentError('It takes numbers such as 20 or 20,lookup=8.');
    return read;
  },
  fallback: USUAL_LEAST,
};

export const RUN_FLAGS = {
  control: text('<target>', 'the server whose answers are right'),
  candidate: many('<target>', 'a server to hold against it'),
  controlName: text('<name>', 'how reports call it'),
  candidateName: many('<name>', 'how reports call it'),
  controlEra: choice('<era>', 'the protocol to speak', ERAS),
  candidateEra: choices('<era>', 'the protocol to speak', ERAS),
  controlHeader: many('<header>', 'sent along, as "Name: value"'),
  candidateHeader: many('<header>', 'sent along to every candidate'),
  controlBearerEnv: text('<variable>', 'environment variable that holds its bearer token'),
  candidateBearerEnv: many('<variable>', 'environment variable that holds its bearer token'),
  controlEnv: listed('<variables>', 'environment variables that its program gets to see'),
  candidateEnv: listed('<variables>', 'environment variables that every candidate program gets to see'),
  config: file('what does not fit here: YAML or JSON, by schema/config.schema.json'),
  cases: usually(300, whole('<number>', 'generated calls of each tool', [0, 1_000_000], { config: 'cases' })),
  seed: whole('<number>', 'makes the same calls again', ANY_SEED, { config: 'seed' }),
  concurrency: usually(16, whole('<number>', 'calls at a time', [1, 256], { config: 'concurrency' })),
  timeout: usually(30_000, whole('<ms>', 'how long an answer may take', [1, HOUR_MS], { config: 'timeoutMs' })),
  connectTimeout: usually(
    30_000,
    whole('<ms>', 'how long a target may take to open', [1, HOUR_MS], { config: 'connectTimeoutMs' }),
  ),
  only: listed('<names>', 'only these tools, prompts and resources; * stands for anything', { config: 'only' }),
  skip: listed('<names>', 'all but these', { config: 'skip' }),
  allowWrites: usually(
    false,
    toggle('call tools that may write, too, each in sessions of its own', { config: 'allowWrites' }),
  ),
  sequences: usually(
    10,
    whole('<number>', 'generated sequences of tools that keep something', [0, 10_000], { config: 'sequences' }),
  ),
  examples: files('calls that succeed, to vary: YAML, JSON, or one call a line', { config: 'examples' }),
  scenario: files('sequences of calls, YAML', { config: 'scenarios' }),
  recorded: files('recorded calls, one JSON object a line', { config: 'recorded' }),
  allowed: file('differences to live with, YAML or JSON', { config: 'allowed' }),
  failOn: usually(
    'non-breaking',
    choice('<class>', 'least change of the surface that fails', CHANGE_CLASSES, { config: 'failOn' }),
  ),
  sanitize: listed('<names>', `what may differ by form: ${SANITIZERS.join(', ')}`, { config: 'sanitize' }),
  sanitizePath: many('<path>', 'what may differ by place, as [tool:]path[=form]'),
  slowerBy: usually(
    1_000,
    positive('<ms>', 'how much slower a candidate must be to differ', { config: 'slower.byMs' }),
  ),
  call: text('<json>', 'only this call, as {"method","params"}'),
  case: text('<id>', 'only this generated call, for example "search#17", with the --seed of its run'),
  json: file('write the whole report as JSON', { config: 'reports.json' }),
  ndjson: file('write every verdict as it comes, one JSON object a line', { config: 'reports.ndjson' }),
  junit: file('write JUnit XML', { config: 'reports.junit' }),
  markdown: file('write Markdown', { config: 'reports.markdown' }),
  html: file('write one HTML file', { config: 'reports.html' }),
  certificate: file('write a certificate of what was compared, and its table', { config: 'reports.certificate' }),
  step: text('<step>', 'what the certificate is for, such as "legacy stateless"', { config: 'step' }),
  keyEnv: usually(KEY_VARIABLE, text('<variable>', 'environment variable that holds the key to sign it with')),
  quiet: toggle('no progress'),
} as const;
export type RunFlags = Given<typeof RUN_FLAGS>;

export const VERIFY_FLAGS = {
  maxAge: usually(24, positive('<hours>', 'how old it may be')),
  maxBound: positive('<share>', "how high a tool's mismatch rate may still be, such as 0.02"),
  minSucceeded: least,
  exempt: listed('<tools>', 'tools that need not have been compared, or not have succeeded'),
  step: text('<step>', 'the step that it must be for'),
  table: file('the table of verdicts; without it the one beside the certificate'),
  keyEnv: usually(KEY_VARIABLE, text('<variable>', 'environment variable that holds the key it was signed with')),
  unsigned: toggle('take one that nobody signed, if its table is there: it may have been edited with its table'),
  live: toggle('ask both addresses whether they still are what was compared'),
  controlBearerEnv: text('<variable>', 'with --live: environment variable that holds a bearer token'),
  candidateBearerEnv: text('<variable>', 'with --live: environment variable that holds a bearer token'),
} as const;
export type VerifyFlags = Given<typeof VERIFY_FLAGS>;

const TARGETS = `
A target is an http(s) URL of a Streamable HTTP server, sse:<URL> for HTTP+SSE, or stdio:<command>.
--candidate and the options that begin with it can be given several times: the second --candidate-era is of the second
candidate, and one alone is of all. Without any target, in the project's own folder, the three lanes of its Worker are
compared.

Exit code: 0 equal, 1 something differs or an allowed difference is stale or expired, 2 it could not be compared.`;

const VERIFYING = `
A certificate is good when its signature fits the key, it is for this step, it is fresh, nothing differed, and enough
distinct inputs of every tool succeeded on the control.

Exit code: 0 good, 1 refused, with each reason and what to do about it, 2 it could not be read.`;

export interface Actions {
  readonly run: (flags: RunFlags) => Promise<void>;
  readonly verify: (file: string, flags: VerifyFlags) => Promise<void>;
  readonly completion: (shell: (typeof SHELLS)[number]) => void;
}

export function program({ run, verify, completion }: Actions): Command {
  const command = new Command('mcp-parity')
    .description('Compares what MCP servers list and what they answer.')
    .version(manifest.version)
    .exitOverride();
  withFlags(command.command('run', { isDefault: true }), RUN_FLAGS)
    .description('compare a control with one or more candidates')
    .addHelpText('after', TARGETS)
    .action(run);
  withFlags(command.command('verify <file>').alias('certificate'), VERIFY_FLAGS)
    .description('say whether a certificate is good enough to go on')
    .addHelpText('after', VERIFYING)
    .action(verify);
  command
    .command('completion')
    .argument('<shell>', SHELLS.join(', '))
    .description('print the completion script of a shell')
    .action((shell: (typeof SHELLS)[number]) => completion(shell));
  return command;
}

/** Defaults stand in the help only: what nobody gave must not win over the configuration file. */
function withFlags(command: Command, table: FlagTable): Command {
  for (const [name, { value, help, fallback, choices: names }] of Object.entries(table)) {
    const isTold = typeof fallback === 'number' || (typeof fallback === 'string' && fallback !== '');
    const allowed = names === undefined ? '' : ` (${names.join(', ')})`;
    const option = new Option(
      [optionName(name), ...(value === undefined ? [] : [value])].join(' '),
      `${help}${allowed}${isTold ? ` (default ${String(fallback)})` : ''}`,
    );
    const { parse } = table[name] as unknown as { parse: (text: string, before: unknown) => unknown };
    command.addOption(value === undefined ? option : option.argParser(parse));
  }
  return command;
}
