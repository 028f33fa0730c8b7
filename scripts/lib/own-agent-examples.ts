/** Serves the examples of own agents, plain and changed, and compares them. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import * as v from 'valibot';
import { mcpParity } from '../../cli/parity/command.ts';
import { startDevServer, type DevServer } from './dev-server.ts';

export interface Example {
  readonly name: string;
  /** Tools whose answers depend on what their caller did before, which a signed-in 2026 client has from call to call. */
  readonly ofCaller: readonly string[];
  /** Bearer tokens of the callers; none for a server without a sign-in. */
  readonly callers: readonly (string | undefined)[];
}

export const EXAMPLES: readonly Example[] = [
  { name: 'authless', callers: [undefined], ofCaller: [] },
  { name: 'signed-in', callers: ['ann:admin', 'bob:reader'], ofCaller: [] },
  {
    name: 'stateful',
    callers: ['ann', 'bob'],
    ofCaller: ['increment', 'addNote', 'reminders', 'remind'],
  },
];

/** Everybody is on the stateless lanes. */
export const HOSTED = { LEGACY_ROUTE_STAGE: 'stateless', MCP_ROUTE_STAGE: 'stateless' } as const;

export const serveBefore = ({ name }: Pick<Example, 'name'>): Promise<DevServer> =>
  startDevServer({ config: `examples/own-agent/${name}/before/wrangler.jsonc` });

export const serveAfter = (
  { name }: Pick<Example, 'name'>,
  vars: Readonly<Record<string, string>> = {},
): Promise<DevServer> => startDevServer({ config: `examples/own-agent/${name}/after/wrangler.jsonc`, vars });

export interface Compared {
  readonly example: string;
  readonly caller: string;
  readonly lane: 'wrapped' | 'compat' | 'modern';
  readonly code: number;
  readonly calls: number;
  readonly differences: number;
  readonly output: string;
}

const Totals = v.looseObject({ counts: v.looseObject({ match: v.number(), mismatch: v.number() }) });

/** The three lanes of an example against the plain one, as each of its callers. */
export async function compareExample(
  example: Example,
  options: { readonly cases: number; readonly folder: string; readonly seed?: number },
): Promise<readonly Compared[]> {
  await using plain = await serveBefore(example);
  await using wrapped = await serveAfter(example);
  await using hosted = await serveAfter(example, HOSTED);
  const compared: Compared[] = [];
  for (const caller of example.callers) {
    for (const [lane, server, era] of [
      ['wrapped', wrapped, '2025'],
      ['compat', hosted, '2025'],
      ['modern', hosted, '2026'],
    ] as const) {
      compared.push(await compareOne({ example, caller, lane, plain, server, era }, options));
    }
  }
  return compared;
}

async function compareOne(
  what: {
    readonly example: Example;
    readonly caller: string | undefined;
    readonly lane: Compared['lane'];
    readonly plain: DevServer;
    readonly server: DevServer;
    readonly era: '2025' | '2026';
  },
  { cases, folder, seed = 1 }: { readonly cases: number; readonly folder: string; readonly seed?: number },
): Promise<Compared> {
  const { example, caller, lane, plain, server, era } = what;
  const file = path.join(folder, `${example.name}-${lane}-${(caller ?? 'nobody').replaceAll(':', '-')}.json`);
  const args = ['run', '--control', `${plain.url}/mcp`, '--candidate', `${server.url}/mcp`];
  args.push('--control-era', '2025', '--candidate-era', era, '--cases', String(cases), '--seed', String(seed));
  args.push('--concurrency', '4', '--allow-writes', '--json', file);
  if (caller !== undefined) {
    process.env['OWN_AGENT_TOKEN'] = caller;
    args.push('--control-bearer-env', 'OWN_AGENT_TOKEN', '--candidate-bearer-env', 'OWN_AGENT_TOKEN');
  }
  // A session begins with nothing; what a 2026 client keeps is its own, beyond any session.
  if (lane === 'modern' && example.ofCaller.length > 0)
    args.push('--skip', example.ofCaller.join(','), '--sequences', '0');
  if (lane === 'modern' && caller === undefined) args.push('--allowed', await allowedOfSharedObject(folder));
  let output = '';
  const say = (text: string): void => void (output += text);
  const code = await mcpParity(args, { out: say, error: say, colour: false });
  const text = await readFile(file, 'utf8').catch(() => '{}');
  return {
    example: example.name,
    caller: caller ?? 'nobody',
    lane,
    code,
    ...countsIn(text),
    output,
  };
}

/** A 2026 client without a sign-in shares its object, which cannot tell it of changes (docs/adopting.md). */
async function allowedOfSharedObject(folder: string): Promise<string> {
  const rows = ['tools', 'resources'].map((capability) => ({
    id: `shared-object-${capability}`,
    where: 'server',
    path: `capabilities.${capability}`,
    controlValue: { listChanged: true },
    candidateValue: {},
    reason: 'Whoever shares an object with others hears nothing outside of calls, so no change of a list is promised.',
  }));
  const file = path.join(folder, 'allowed.json');
  await writeFile(file, JSON.stringify(rows));
  return file;
}

/** From the report's own totals. */
function countsIn(text: string): { readonly calls: number; readonly differences: number } {
  const { counts } = v.parse(v.pipe(v.string(), v.parseJson(), Totals), text);
  return { calls: counts.match, differences: counts.mismatch };
}
