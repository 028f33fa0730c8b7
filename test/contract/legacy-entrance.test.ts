/** What a message on the legacy lane asks of its session's Durable Object. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, it } from 'vitest';
import { createLegacyLane } from '../../src/legacy/lane.ts';

type Stub = ReturnType<DurableObjectNamespace['get']>;

/** The real namespace, which notes by name each request to an object. */
function noting(asked: string[]): DurableObjectNamespace {
  const watched = <T extends object>(inner: T, seen: (key: string | symbol, value: unknown) => unknown): T =>
    new Proxy(inner, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        return typeof value === 'function'
          ? (...args: unknown[]) => seen(key, Reflect.apply(value, target, args))
          : value;
      },
    });
  return watched(env.LEGACY_AGENT, (namespaceKey, stub) =>
    namespaceKey === 'get'
      ? watched(stub as Stub, (key, answer) => {
          asked.push(String(key));
          return answer;
        })
      : stub,
  );
}

const lane = createLegacyLane();

async function send(method: string, sessionId?: string, message?: object, props: object = {}) {
  const asked: string[] = [];
  const request = new Request('http://localhost/legacy/mcp', {
    method,
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(sessionId !== undefined && { 'mcp-session-id': sessionId }),
    },
    ...(message !== undefined && { body: JSON.stringify({ jsonrpc: '2.0', ...message }) }),
  });
  const response = await lane.fetch(
    request,
    { LEGACY_AGENT: noting(asked) },
    Object.assign(createExecutionContext(), { props }),
  );
  const text = await response.text();
  return { asked, status: response.status, text, id: response.headers.get('mcp-session-id') };
}

const INITIALIZE = {
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'counting', version: '1.0' } },
};
const CALL = { id: 2, method: 'tools/call', params: { name: 'count', arguments: { by: 3 } } };

describe('requests to the Durable Object of a session', () => {
  it('are one for a call, and another where it begins or ends', async ({ expect }) => {
    const begun = await send('POST', undefined, INITIALIZE);
    expect([begun.status, begun.asked]).toEqual([200, ['setInitializeRequest', 'fetch']]);
    const id = begun.id ?? '';
    const called = await send('POST', id, CALL);
    expect([called.status, called.asked]).toEqual([200, ['fetch']]);
    expect(called.text).toContain('"value":3');
    const ended = await send('DELETE', id);
    expect([ended.status, ended.asked]).toEqual([204, ['_enter', '_cf_terminateSession']]);
    const late = await send('POST', id, CALL);
    expect([late.status, late.asked]).toEqual([404, ['fetch']]);
  });

  it('are two where the caller has properties, which the agent gets before it starts', async ({ expect }) => {
    const { id } = await send('POST', undefined, INITIALIZE, { subject: 'ann' });
    expect((await send('POST', id ?? '', CALL, { subject: 'ann' })).asked).toEqual(['_enter', 'fetch']);
  });

  it('is one for a session that nobody began', async ({ expect }) => {
    const unknown = env.LEGACY_AGENT.newUniqueId().toString();
    const error = { jsonrpc: '2.0', error: { code: -32_001, message: 'Session not found' }, id: null };
    for (const method of ['POST', 'GET']) {
      const { asked, status, text } = await send(method, unknown, method === 'POST' ? CALL : undefined);
      expect([asked, status, JSON.parse(text)]).toEqual([['fetch'], 404, error]);
    }
  });
});
