/** What a legacy session that cannot start answers. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { it } from 'vitest';
import { legacyHalf } from '../fixture/legacy-half.ts';
import { systemWorld as world } from '../../src/shared/world.ts';
import { createStatelessHalf } from '../../src/stateless/half.ts';
import { fixtureCatalogue as catalogue } from '../fixture/catalogue.ts';
import { routerWith } from '../support/router.ts';
import { ORIGIN } from './fixture-lanes.ts';

it('legacy: 500 without the cause, which is reported', async ({ expect }) => {
  const reported: unknown[] = [];
  /** The fixture has no flags, or none any more after another file's tests; that is said as well, and no concern here. */
  const report = ({ fault, cause }: { fault: string; cause: unknown }): void => {
    if (!fault.startsWith('flag_')) reported.push(String(cause));
  };
  const sessions = env.LEGACY_AGENT;
  const noSessions = new Proxy(sessions, {
    get: (target, key) => {
      if (key === 'get' || key === 'getByName') throw new Error('secret cause');
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const router = routerWith({
    catalogue,
    report,
    stateless: createStatelessHalf({ catalogue, world, report }),
    legacy: legacyHalf(),
  });
  const response = await router(
    new Request(`${ORIGIN}/legacy/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
        'mcp-session-id': sessions.newUniqueId().toString(),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/list', params: {} }),
    }),
    { ...env, LEGACY_AGENT: noSessions },
    createExecutionContext(),
  );
  expect([response.status, await response.json()]).toEqual([
    500,
    { jsonrpc: '2.0', id: null, error: { code: -32603, message: 'Internal error' } },
  ]);
  expect(reported).toEqual(['Error: secret cause']);
});
