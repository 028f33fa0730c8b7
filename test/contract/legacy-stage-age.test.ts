/**
 * A change of a stage reaches every kind of request within five seconds: the router with real lanes, and flags whose source
 * and clock are the test's. The first request after five seconds counts, in an isolate that is fresh, busy or was quiet.
 */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, it } from 'vitest';
import { createFlags } from '../../src/cutover/flags/flags.ts';
import { VariablesProvider } from '../../src/cutover/flags/variables-provider.ts';
import { systemWorld as world } from '../../src/shared/world.ts';
import { createStatelessHalf } from '../../src/stateless/half.ts';
import { fixtureCatalogue as catalogue } from '../fixture/catalogue.ts';
import { legacyHalf } from '../fixture/legacy-half.ts';
import { routerWith } from '../support/router.ts';
import { openLane, type Lane, type LaneName, type Send } from '../support/wire.ts';

const ORIGIN = 'http://localhost';
const report = (): void => undefined;
const stateless = createStatelessHalf({ catalogue, world, report });

/** Isolates of one deployment, which share the flags' source and the clock, and nothing that they know. */
function deployment() {
  const vars: Record<string, string> = {};
  let clockMs = 0;
  const isolate = (): Send => {
    const flags = createFlags({ source: new VariablesProvider(vars), report, now: () => clockMs });
    const cutover = () => ({ ...flags, isBraked: () => Promise.resolve(false) });
    const fetch = routerWith({ catalogue, report, stateless, legacy: legacyHalf(), cutover });
    return (request) => fetch(request, env, createExecutionContext());
  };
  return { vars, isolate, later: (ms: number) => void (clockMs += ms) };
}

const INITIALIZE = {
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'one', version: '1' } },
};
const LIST = { method: 'tools/list', params: {} };

const asking = (method: string, path: string, session: string | undefined, message?: object): Request =>
  new Request(`${ORIGIN}${path}`, {
    method,
    headers: {
      accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
      ...(message !== undefined && { 'content-type': 'application/json' }),
      ...(session !== undefined && { 'mcp-session-id': session }),
    },
    ...(message !== undefined && { body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }) }),
  });

type Ask = (lane: Lane, send: Send) => Promise<Response>;
const by =
  (method: string, path: string, message?: object): Ask =>
  (_lane, send) =>
    send(asking(method, path, undefined, message));
const pinned =
  (method: string, path: string, message?: object): Ask =>
  (lane, send) =>
    send(asking(method, path, lane.sessionId, message));
const modern: Ask = async (_lane, send) => (await openLane('modern', { origin: ORIGIN, send })).open('tools/list');

const ended: Ask = async (lane, send) => {
  await lane.close();
  return send(asking('POST', '/legacy/mcp', lane.sessionId, LIST));
};

/** Each kind of request: the variable that changes, its new stage, the lane of the session, and the status then. */
const KINDS: readonly (readonly [string, string, string, LaneName, Ask, number])[] = [
  [
    'a session that begins on /legacy/mcp',
    'LEGACY_ROUTE',
    'gone',
    'legacy',
    by('POST', '/legacy/mcp', INITIALIZE),
    410,
  ],
  ['a call of a live session', 'LEGACY_ROUTE', 'gone', 'legacy', pinned('POST', '/legacy/mcp', LIST), 410],
  ['the stream of a live session', 'LEGACY_ROUTE', 'gone', 'legacy', pinned('GET', '/legacy/mcp'), 410],
  ['the end of a live session', 'LEGACY_ROUTE', 'gone', 'legacy', pinned('DELETE', '/legacy/mcp'), 410],
  ['a call without a session', 'LEGACY_ROUTE', 'gone', 'legacy', by('POST', '/legacy/mcp', LIST), 410],
  ['a call without a session', 'LEGACY_ROUTE', 'stateless', 'legacy', by('POST', '/legacy/mcp', LIST), 200],
  ['a call of a session that has ended', 'LEGACY_ROUTE', 'stateless', 'legacy', ended, 200],
  ['a connection of the old transport', 'LEGACY_SSE_ROUTE', 'gone', 'legacy', by('GET', '/legacy/sse'), 410],
  [
    'a message of the old transport',
    'LEGACY_SSE_ROUTE',
    'gone',
    'legacy',
    by('POST', `/legacy/sse/message?sessionId=${'a'.repeat(64)}`, LIST),
    410,
  ],
  ['a session that begins on /mcp', 'MCP_ROUTE', 'off', 'compat', by('POST', '/mcp', INITIALIZE), 404],
  ['a call of a compat session', 'MCP_ROUTE', 'off', 'compat', pinned('POST', '/mcp', LIST), 404],
  ['the end of a compat session', 'MCP_ROUTE', 'off', 'compat', pinned('DELETE', '/mcp'), 404],
  ['a call without a session on /mcp', 'MCP_ROUTE', 'off', 'compat', by('POST', '/mcp', LIST), 404],
  ['a call of a 2026 client', 'MCP_ROUTE', 'off', 'compat', modern, 404],
];

describe('a stage that changed five seconds ago', () => {
  it.for(KINDS)('holds for %s: %s becomes %s', async ([, variable, stage, laneName, ask, status], { expect }) => {
    const { vars, isolate, later } = deployment();
    const [busy, quiet] = [isolate(), isolate()];
    const lanes: Lane[] = [];
    for (const send of [busy, quiet, busy]) lanes.push(await openLane(laneName, { origin: ORIGIN, send }));
    // Both have read every route's stage.
    const everyRoute = async (send: Send): Promise<void> => {
      for (const path of ['/legacy/mcp', '/mcp']) await (await send(asking('POST', path, undefined, LIST))).text();
      await (await send(asking('POST', '/legacy/sse/message?sessionId=x', undefined, LIST))).text();
    };
    await everyRoute(quiet);
    for (let at = 0; at < 90_000; at += 1_000) {
      if (at % 10_000 === 0) await everyRoute(busy);
      later(1_000);
    }
    await everyRoute(busy);
    vars[`${variable}_STAGE`] = stage;
    later(5_000);
    const statuses: number[] = [];
    for (const [at, send] of [busy, quiet, isolate()].entries()) {
      const response = await ask(lanes[at] as Lane, send);
      statuses.push(response.status);
      await response.body?.cancel();
    }
    expect(statuses).toEqual([status, status, status]);
  });
});
