/** The demo as a command: reads its arguments, brings up what it needs, and returns what to print and the exit code. */
import process from 'node:process';
import { parseArgs } from 'node:util';
import { startDevServer, type DevServer } from '../../scripts/lib/dev-server.ts';
import { withScheme } from '../web-address.ts';
import { connectLanes, type ConnectedLane } from './clients.ts';
import { renderReport } from './render.ts';
import { compareLanes, exitCodeOf } from './report.ts';
import { spoil } from './spoil.ts';

const USAGE = `npm run demo [-- options]

Starts the Worker on a free port, asks each of its three lanes the same with a real client, and compares the answers.

  --url <url>     ask a Worker that runs already, for example http://localhost:8787
  --bearer-env <variable>  the environment variable that holds a token, for a Worker with a sign-in
  --json          print the whole report as JSON
  --spoil <lane>  change the answers of add on one lane (legacy, compat or modern), to see the comparison fail
  --help          print this

Exit code: 0 all equal but for the known differences, 1 something differs, 2 the comparison could not be made.`;

export interface Printed {
  readonly exitCode: 0 | 1 | 2;
  readonly out?: string;
  readonly error?: string;
}

/** @param start Brings up the Worker where no --url names one. */
export async function demo(
  args: readonly string[],
  start: () => Promise<DevServer> = startDevServer,
): Promise<Printed> {
  const read = readArgs(args);
  if ('printed' in read) return read.printed;
  const { url, json, spoiled, token } = read;
  try {
    await using server = url === undefined ? await start() : undefined;
    const at = server?.url ?? url ?? '';
    await using stack = new AsyncDisposableStack();
    const lanes = await connectLanes(at, token);
    for (const lane of lanes) stack.use(lane);
    const report = await compareLanes(
      at,
      lanes.map((lane) => (lane.name === spoiled ? spoil(lane) : lane)),
    );
    const exitCode = exitCodeOf(report);
    return { exitCode, out: json ? JSON.stringify({ ...report, exitCode }, undefined, 2) : renderReport(report) };
  } catch (error) {
    return { exitCode: 2, error: error instanceof Error ? error.message : String(error) };
  }
}

interface Options {
  readonly url: string | undefined;
  readonly json: boolean;
  readonly spoiled: ConnectedLane['name'] | undefined;
  readonly token: string | undefined;
}

const isLane = (text: string): text is ConnectedLane['name'] =>
  text === 'legacy' || text === 'compat' || text === 'modern';

function readArgs(args: readonly string[]): Options | { readonly printed: Printed } {
  const wrong = (why: string): { printed: Printed } => ({ printed: { exitCode: 2, error: `${why}\n\n${USAGE}` } });
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        url: { type: 'string' },
        json: { type: 'boolean', default: false },
        spoil: { type: 'string' },
        'bearer-env': { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return { printed: { exitCode: 0, out: USAGE } };
    if (values.url !== undefined && !(URL.canParse(values.url) && /^https?:/.test(values.url))) {
      const meant = withScheme(values.url);
      return wrong(`--url is not a web address: ${values.url}${meant === undefined ? '' : `. Use ${meant}`}`);
    }
    const variable = values['bearer-env'];
    const token = variable === undefined ? undefined : process.env[variable];
    if (variable !== undefined && (token === undefined || token === '')) {
      return wrong(`--bearer-env names ${variable}, which the environment does not have`);
    }
    const { spoil: spoiled } = values;
    if (spoiled === undefined) return { url: values.url, json: values.json, spoiled, token };
    if (!isLane(spoiled)) return wrong(`--spoil takes legacy, compat or modern, not: ${spoiled}`);
    return { url: values.url, json: values.json, spoiled, token };
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error));
  }
}
