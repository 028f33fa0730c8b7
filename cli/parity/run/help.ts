/** What a person needs to see a difference again: a request to paste, and the command that replays just this call. Pure. */
import type { Call } from '../../../src/parity/run-table.ts';
import { MASK } from '../../../src/parity/mask.ts';
import { SECRET_NAME } from '../secrets.ts';
import type { Connection } from '../targets/connect.ts';
import { CLIENT_INFO, headersFor, paramsFor, PROTOCOL } from '../targets/era.ts';
import type { Scenario } from '../cases/scenario.ts';
import type { RunOptions } from './options.ts';
import type { Failure } from './report.ts';
import { addressText, shellWord, type Target } from '../targets/target.ts';

/** A shell line that sends the call; a token stands as the variable that holds it. */
export function requestLine({ target, era, protocol }: Connection, call: Call): string {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: call.method, params: paramsFor(era, call.params) });
  const initialize = JSON.stringify({
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: PROTOCOL['2025'], capabilities: {}, clientInfo: CLIENT_INFO },
  });
  const { address } = target;
  if (address.kind === 'stdio') {
    const lines =
      era === '2026' ? [body] : [initialize, '{"jsonrpc":"2.0","method":"notifications/initialized"}', body];
    return `(printf '%s\\n' ${lines.map(shellWord).join(' ')}; sleep 5) | ${address.command.map(shellWord).join(' ')}`;
  }
  const post = (headers: Readonly<Record<string, string>>, data: string, options: string): string =>
    [
      `curl ${options} ${shellWord(address.url)}`,
      ...headersOf(target, {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      }),
      `--data-raw ${shellWord(data)}`,
    ].join(' ');
  const headers = headersFor(era, protocol, call);
  if (era === '2026') return post(headers, body, '-sS');
  if (address.kind === 'sse')
    return `# HTTP+SSE: open "curl -N ${address.url}", and post to the endpoint that its first event names:\n# ${body}`;
  return [
    `SESSION=$(${post({}, initialize, '-sS -D - -o /dev/null')} | tr -d '\\r' | sed -n 's/^mcp-session-id: //Ip')`,
    `${post(headers, body, '-sS')} \${SESSION:+-H "mcp-session-id: $SESSION"}`,
  ].join('\n');
}

function headersOf({ headers, bearerEnv }: Target, own: Readonly<Record<string, string>>): string[] {
  const all = Object.entries({ ...own, ...headers }).map(
    ([name, value]) => `-H ${shellWord(`${name}: ${shown(name, value)}`)}`,
  );
  return bearerEnv === undefined ? all : [...all, `-H "authorization: Bearer $${bearerEnv}"`];
}

/** What decides besides the targets whether a difference shows again. */
export type Replayed = Pick<RunOptions, 'seed' | 'sanitize'>;

/** The command that asks both sides just this. */
export function replayCommand(control: Target, candidate: Target, call: Call, run: Replayed): string {
  return [
    'npx mcp-parity run',
    ...targetArguments('control', control),
    ...targetArguments('candidate', candidate),
    ...runArguments(run),
    `--call ${shellWord(JSON.stringify(call))}`,
  ].join(' ');
}

/** A sequence as a scenario to keep in a file, with the command that plays it, and its steps for who reads them. */
export function sequenceHelp(control: Target, candidate: Target, sequence: Scenario, run: Replayed): Failure['help'] {
  const file = `${sequence.name.replaceAll(/\W+/g, '-')}.json`;
  const steps = sequence.steps.map(
    ({ session = 'a', tool = '', arguments: args = {} }, at) =>
      `${at + 1}. session ${session}: ${tool} ${JSON.stringify(args)}`,
  );
  const replay = [
    `printf '%s' ${shellWord(JSON.stringify(sequence))} > ${file};`,
    'npx mcp-parity run',
    ...targetArguments('control', control),
    ...targetArguments('candidate', candidate),
    ...runArguments(run),
    `--cases 0 --allow-writes --scenario ${file}`,
  ].join(' ');
  return { replay, controlRequest: steps.join('\n'), candidateRequest: steps.join('\n') };
}

/** Without what was taken out of the answers, more would differ than the report says. */
const runArguments = ({ seed, sanitize: { names, paths } }: Replayed): string[] => [
  `--seed ${seed}`,
  ...(names.length === 0 ? [] : [`--sanitize ${names.join(',')}`]),
  ...paths.map(
    ({ tool, path, as }) => `--sanitize-path ${shellWord(`${tool === undefined ? '' : `${tool}:`}${path}=${as}`)}`,
  ),
];

function targetArguments(
  side: 'control' | 'candidate',
  { name, address, era, headers, bearerEnv, passEnv = [] }: Target,
): string[] {
  return [
    `--${side} ${shellWord(addressText(address))}`,
    ...(name === side ? [] : [`--${side}-name ${shellWord(name)}`]),
    ...(era === 'auto' ? [] : [`--${side}-era ${era}`]),
    ...Object.entries(headers).map(([key, value]) => `--${side}-header ${shellWord(`${key}: ${shown(key, value)}`)}`),
    ...(bearerEnv === undefined ? [] : [`--${side}-bearer-env ${bearerEnv}`]),
    ...(passEnv.length === 0 ? [] : [`--${side}-env ${shellWord(passEnv.join(','))}`]),
  ];
}

/** Reports are mailed and kept, so what may be a secret is not in them. */
const shown = (header: string, value: string): string => (SECRET_NAME.test(header) ? MASK : value);
