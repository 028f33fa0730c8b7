/**
 * `npm run bench:micro`: the pure parts by themselves, in Node. The decision has a target of its own.
 *
 *   --json         prints the medians in microseconds as JSON
 *
 * Ends with 0 when the decision takes at most its 20 µs, with 1 when it takes longer.
 */
import process from 'node:process';
import { bench, run } from 'mitata';
import { z } from 'zod';
import { createFlags } from '../src/cutover/flags/flags.ts';
import { VariablesProvider } from '../src/cutover/flags/variables-provider.ts';
import { compare } from '../src/parity/compare.ts';
import { DifferenceLedger } from '../src/parity/known.ts';
import { observe } from '../src/parity/observe.ts';
import { readConfig } from '../src/router/config.ts';
import { decide, type Facts } from '../src/router/decide.ts';
import { enter } from '../src/router/door/door.ts';
import { readMessage } from '../src/router/door/shape.ts';
import { DEFAULT_PATHS, routesAt } from '../src/router/routes.ts';
import { defineTool } from '../src/shared/define/tool.ts';
import { callTool } from '../src/shared/pipeline/call-tool.ts';
import type { CallPorts } from '../src/shared/pipeline/ports.ts';
import { systemWorld } from '../src/shared/world.ts';
import { threeKilobytes } from './lib/reply.ts';

const DECISION = 'decision, flags from cache';
const DECISION_TARGET_US = 20;

const background = { waitUntil: () => undefined };
const flags = createFlags({ source: new VariablesProvider({}), report: () => undefined });
const facts: Facts = {
  route: 'mcp',
  era: '2026',
  session: 'none',
  opens: false,
  probes: false,
  needsSession: false,
  hasLegacy: true,
};
await flags.stageOf('mcp', background);
bench(DECISION, async () => {
  const { stage, reason } = await flags.stageOf('mcp', background);
  return decide(facts, { stage, flag: reason, brake: false });
});

const body = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'forecast', arguments: { place: 'Lisbon', days: 5 } },
});
const config = { ...readConfig({}).config, routes: routesAt(DEFAULT_PATHS) };
const request = new Request('http://localhost:8787/mcp', { method: 'POST', headers: { host: 'localhost:8787' } });
bench('door: host, origin, path, method, JSON and its shape', () => {
  const entered = enter(request, new URL(request.url), config);
  return entered.kind === 'passed' && readMessage(JSON.parse(body), true).ok;
});

const tool = defineTool({
  name: 'forecast',
  title: 'Forecast',
  description: 'Forecasts.',
  input: z.object({ place: z.string(), days: z.number() }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  output: z.looseObject({}),
  run: threeKilobytes,
});
const ports: CallPorts = {
  world: systemWorld,
  signal: new AbortController().signal,
  client: undefined,
  caller: { subject: undefined, scopes: [], clientId: undefined, properties: undefined },
  services: () => undefined,
  ask: { kind: 'none', otherwiseAt: '/legacy/mcp' },
  state: { apply: () => Promise.reject(new TypeError('No tool here has state')) },
  report: () => undefined,
  log: () => Promise.resolve(),
};
const limits = { deadlineMs: 60_000, maxResultBytes: 4 * 1024 * 1024 };
bench('call pipeline, a result of 3 KB', async () => callTool(tool, { place: 'Lisbon', days: 5 }, ports, limits));

const answer = () => observe({ jsonrpc: '2.0', id: 1, result: { content: [], ...threeKilobytes() } });
const ledger = new DifferenceLedger([]);
const pair = {
  case: 'forecast',
  control: { lane: 'legacy', saw: answer() },
  candidate: { lane: 'modern', saw: answer() },
};
bench('comparison of two equal results of 3 KB', () => compare(pair, ledger));

const json = process.argv.includes('--json');
const { benchmarks } = await run(json ? { format: 'quiet' } : {});
const medians = Object.fromEntries(
  benchmarks.map(({ alias, runs }) => [alias, Math.round((runs[0]?.stats?.p50 ?? Number.NaN) / 10) / 100]),
);
if (json) console.log(JSON.stringify(medians, undefined, 2));
process.exitCode = (medians[DECISION] ?? Number.NaN) <= DECISION_TARGET_US ? 0 : 1;
