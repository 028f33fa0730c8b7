/** Errors beside the catalogue's own: their HTTP status, their type, and what a lane that cannot start answers. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, it } from 'vitest';
import { systemWorld as world } from '../../src/shared/world.ts';
import { createStatelessHalf } from '../../src/stateless/half.ts';
import { fixtureCatalogue } from '../fixture/catalogue.ts';
import { routerWith } from '../support/router.ts';
import { LANE_NAMES, openLane, type Lane, type Send } from '../support/wire.ts';
import { openFixture, ORIGIN } from './fixture-lanes.ts';

describe('status of JSON-RPC errors', () => {
  it.for([
    ['legacy', 200, 200],
    ['compat', 200, 200],
    ['modern', 404, 200],
  ] as const)('%s: an unknown method is %d, an unknown tool %d', async ([name, method, tool], { expect }) => {
    const lane = await openFixture(name);
    expect([
      (await lane.request('foo/bar')).status,
      (await lane.request('tools/call', { name: 'nope', arguments: {} })).status,
    ]).toEqual([method, tool]);
    await lane.close();
  });
});

describe.each(LANE_NAMES)('what HTTP refuses on %s', (name) => {
  const refusals: readonly (readonly [string, number, (lane: Lane) => Promise<Response>])[] = [
    ['another media type', 415, (lane) => lane.post('{}', { 'content-type': 'text/plain' })],
    ['no JSON', 400, (lane) => lane.post('{')],
    ['no JSON-RPC', 400, (lane) => lane.post({ foo: 1 })],
    ['an empty batch', 400, (lane) => lane.post([])],
  ];

  it.for(refusals)('%s is refused in JSON that a browser may read', async ([, status, post], { expect }) => {
    const lane = await openFixture(name);
    const response = await post({ ...lane, post: (body, headers) => lane.post(body, { ...headers, origin: ORIGIN }) });
    const { headers } = response;
    expect([response.status, headers.get('content-type'), headers.get('access-control-allow-origin')]).toEqual([
      status,
      'application/json',
      ORIGIN,
    ]);
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: expect.any(Number) } });
    await lane.close();
  });
});

describe('a lane that cannot start', () => {
  const reported: unknown[] = [];
  /** The fixture has no flags, or none any more after another file's tests; that is said as well, and no concern here. */
  const report = ({ fault, cause }: { fault: string; cause: unknown }): void => {
    if (!fault.startsWith('flag_')) reported.push(String(cause));
  };
  const failing = { ...fixtureCatalogue };
  Object.defineProperty(failing, 'instructions', {
    get: () => {
      throw new Error('secret cause');
    },
  });
  const router = routerWith({
    catalogue: fixtureCatalogue,
    report,
    stateless: createStatelessHalf({ catalogue: failing, world, report }),
  });
  const send: Send = (request) => router(request, env, createExecutionContext());
  const body = { jsonrpc: '2.0', id: 7, method: 'tools/list', params: {} };

  it('compat: 500 without the cause, which is reported', async ({ expect }) => {
    reported.length = 0;
    const response = await send(
      new Request(`${ORIGIN}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-11-25',
        },
        body: JSON.stringify(body),
      }),
    );
    expect([response.status, await response.json()]).toEqual([
      500,
      { jsonrpc: '2.0', id: 7, error: { code: -32603, message: 'Internal server error' } },
    ]);
    expect(reported).toEqual(['Error: secret cause']);
  });

  it('modern: 500 without the cause, which is reported', async ({ expect }) => {
    reported.length = 0;
    const lane = await openLane('modern', { origin: ORIGIN, send });
    const { status, answer } = await lane.request('tools/list');
    expect([status, answer]).toEqual([
      500,
      { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal server error' } },
    ]);
    expect(reported).toEqual(['Error: secret cause']);
  });
});
