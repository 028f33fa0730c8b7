/** The command line of `mcp-parity`: which flags there are and what they say. Reads nothing and runs nothing. */
import { Command, InvalidArgumentError, Option } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { USUAL_MAX_BOUND } from '../../src/parity/certificate.ts';
import { SANITIZERS } from '../../src/parity/sanitize.ts';
import { CHANGE_CLASSES } from '../../src/parity/surface/listing.ts';
import { ERAS } from './targets/target.ts';

export interface RunFlags {
  readonly control?: string;
  readonly candidate?: readonly string[];
  readonly controlName?: string;
  readonly candidateName?: readonly string[];
  readonly controlEra?: string;
  readonly candidateEra?: readonly string[];
  readonly controlHeader?: readonly string[];
  readonly candidateHeader?: readonly string[];
  readonly controlBearerEnv?: string;
  readonly candidateBearerEnv?: readonly string[];
  readonly config?: string;
  readonly cases?: number;
  readonly seed?: number;
  readonly concurrency?: number;
  readonly timeout?: number;
  readonly connectTimeout?: number;
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly allowWrites?: boolean;
  readonly scenario?: readonly string[];
  readonly recorded?: readonly string[];
  readonly allowed?: string;
  readonly failOn?: string;
  readonly sanitize?: readonly string[];
  readonly sanitizePath?: readonly string[];
  readonly slowerBy?: number;
  readonly call?: string;
  readonly case?: string;
  readonly json?: string;
  readonly ndjson?: string;
  readonly junit?: string;
  readonly markdown?: string;
  readonly html?: string;
  readonly certificate?: string;
  readonly quiet?: boolean;
}

export interface CheckFlags {
  readonly maxAge: number;
  readonly maxBound: number;
  readonly exempt?: readonly string[];
}

const many = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];
const listed = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  ...value.split(',').map((each) => each.trim()),
];

function whole(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (!Number.isInteger(number) || number < min || number > max)
      throw new InvalidArgumentError(`It takes a whole number from ${min} to ${max}.`);
    return number;
  };
}

const positive = (value: string): number => {
  const number = Number(value);
  if (!(number > 0)) throw new InvalidArgumentError('It takes a number above 0.');
  return number;
};

const TARGETS = `
A target is an http(s) URL of a Streamable HTTP server, sse:<URL> for HTTP+SSE, or stdio:<command>.
--candidate and the options that begin with it can be given several times: the second --candidate-era is of the second
candidate, and one alone is of all. Without any target, in the project's own folder, the three lanes of its Worker are
compared.

Exit code: 0 equal, 1 something differs or an allowed difference is stale or expired, 2 it could not be compared.`;

/** @param run What `run` does, and `check` what `certificate` does; both give the exit code. */
export function program(
  run: (flags: RunFlags) => Promise<void>,
  check: (file: string, flags: CheckFlags) => Promise<void>,
): Command {
  const command = new Command('mcp-parity')
    .description('Compares what MCP servers list and what they answer.')
    .version(manifest.version)
    .exitOverride();
  command
    .command('run', { isDefault: true })
    .description('compare a control with one or more candidates')
    .addHelpText('after', TARGETS)
    .option('--control <target>', 'the server whose answers are right')
    .option('--candidate <target>', 'a server to hold against it', many)
    .option('--control-name <name>', 'how reports call it')
    .option('--candidate-name <name>', 'how reports call it', many)
    .addOption(new Option('--control-era <era>', 'the protocol to speak').choices(ERAS))
    .addOption(new Option('--candidate-era <era>', `the protocol to speak (${ERAS.join(', ')})`).argParser(era))
    .option('--control-header <header>', 'sent along, as "Name: value"', many)
    .option('--candidate-header <header>', 'sent along to every candidate', many)
    .option('--control-bearer-env <variable>', 'environment variable that holds its bearer token')
    .option('--candidate-bearer-env <variable>', 'environment variable that holds its bearer token', many)
    .option('--config <file>', 'what does not fit here: YAML or JSON, see cli/parity/schema/config.schema.json')
    .option('--cases <number>', 'generated calls of each tool (default 300)', whole(0, 1_000_000))
    .option('--seed <number>', 'makes the same calls again', whole(0, 2 ** 31 - 1))
    .option('--concurrency <number>', 'calls at a time (default 16)', whole(1, 256))
    .option('--timeout <ms>', 'how long an answer may take (default 30000)', whole(1, 3_600_000))
    .option('--connect-timeout <ms>', 'how long a target may take to open (default 30000)', whole(1, 3_600_000))
    .option('--only <names>', 'only these tools, prompts and resources; * stands for anything', listed)
    .option('--skip <names>', 'all but these', listed)
    .option('--allow-writes', 'call tools that may write, too, each in sessions of its own')
    .option('--scenario <file>', 'sequences of calls, YAML', many)
    .option('--recorded <file>', 'recorded calls, one JSON object a line', many)
    .option('--allowed <file>', 'differences to live with, YAML or JSON')
    .addOption(
      new Option('--fail-on <class>', 'least change of the surface that fails (default non-breaking)').choices(
        CHANGE_CLASSES,
      ),
    )
    .option('--sanitize <names>', `what may differ by form: ${SANITIZERS.join(', ')}`, listed)
    .option('--sanitize-path <path>', 'what may differ by place, as [tool:]path[=form]', many)
    .option('--slower-by <ms>', 'how much slower a candidate must be to differ (default 1000)', positive)
    .option('--call <json>', 'only this call, as {"method","params"}')
    .option('--case <id>', 'only this generated call, for example "search#17", with the --seed of its run')
    .option('--json <file>', 'write the whole report as JSON')
    .option('--ndjson <file>', 'write every verdict as it comes, one JSON object a line')
    .option('--junit <file>', 'write JUnit XML')
    .option('--markdown <file>', 'write Markdown')
    .option('--html <file>', 'write one HTML file')
    .option('--certificate <file>', 'write a certificate of what was compared')
    .option('--quiet', 'no progress')
    .action(run);
  command
    .command('certificate <file>')
    .description('say whether a certificate is good enough to go on')
    .option('--max-age <hours>', 'how old it may be', positive, 24)
    .option('--max-bound <share>', "how high a tool's mismatch rate may still be", positive, USUAL_MAX_BOUND)
    .option('--exempt <tools>', 'tools that need not have been compared', listed)
    .action(check);
  return command;
}

const era = (value: string, before: readonly string[] = []): readonly string[] => {
  if (!(ERAS as readonly string[]).includes(value)) throw new InvalidArgumentError(`It takes ${ERAS.join(', ')}.`);
  return [...before, value];
};
