/** What a message on the legacy lane asks of its session's Durable Object. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, it } from 'vitest';
import { createLegacyLane } from '../../src/legacy/lane.ts';

type Stub = ReturnType<DurableObjectNamespace['get']>;

type Wrong = (asked: readonly string[]) => Error | undefined;

/** The real namespace, which notes by name each request to an object; some of them go wrong on the way. */
function noting(asked: string[], wrong: Wrong): DurableObjectNamespace {
  const watched = <T extends object>(inner: T, ask: (key: string, go: () => unknown) => unknown): T =>
    new Proxy(inner, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => ask(String(key), () => Reflect.apply(value, target, args) as unknown);
      },
    });
  return watched(env.LEGACY_AGENT, (namespaceKey, get) =>
    namespaceKey === 'get'
      ? watched(get() as Stub, (key, go) => {
          asked.push(key);
          const failure = wrong(asked);
          return failure === undefined ? go() : Promise.reject(failure);
        })
      : get(),
  );
}

interface Sent {
  readonly method?: string;
  readonly id?: string;
  readonly message?: object;
  readonly props?: object;
  readonly wrong?: Wrong;
}

const isolate = createLegacyLane();

async function send(sent: Sent, lane = isolate) {
  const { method = 'POST', id, message, props = {}, wrong = () => undefined } = sent;
  const asked: string[] = [];
  const request = new Request('http://localhost/legacy/mcp', {
    method,
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(id !== undefined && { 'mcp-session-id': id }),
    },
    ...(message !== undefined && { body: JSON.stringify({ jsonrpc: '2.0', ...message }) }),
  });
  const ctx = Object.assign(createExecutionContext(), { props });
  const response = await lane.fetch(request, { LEGACY_AGENT: noting(asked, wrong) }, ctx);
  const text = await response.text();
  return { asked, status: response.status, text, id: response.headers.get('mcp-session-id') ?? '' };
}

const INITIALIZE = {
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'counting', version: '1.0' } },
};
const CALL = { id: 2, method: 'tools/call', params: { name: 'count', arguments: { by: 3 } } };

describe('requests to the Durable Object of a session', () => {
  it('are one for a call, and another where it begins or ends', async ({ expect }) => {
    const begun = await send({ message: INITIALIZE });
    expect([begun.status, begun.asked]).toEqual([200, ['setInitializeRequest', 'fetch']]);
    const { id } = begun;
    const called = await send({ id, message: CALL });
    expect([called.status, called.asked]).toEqual([200, ['fetch']]);
    expect(called.text).toContain('"value":3');
    const ended = await send({ method: 'DELETE', id });
    expect([ended.status, ended.asked]).toEqual([204, ['_enter', '_cf_terminateSession']]);
    const late = await send({ id, message: CALL });
    expect([late.status, late.asked]).toEqual([404, ['fetch']]);
  });

  it('are two for the first call that an isolate sees', async ({ expect }) => {
    const { id } = await send({ message: INITIALIZE });
    const other = createLegacyLane();
    expect((await send({ id, message: CALL }, other)).asked).toEqual(['_enter', 'fetch']);
    expect((await send({ id, message: CALL }, other)).asked).toEqual(['fetch']);
  });

  it('are two where the caller has properties, which the agent gets before it starts', async ({ expect }) => {
    const props = { subject: 'ann' };
    const { id } = await send({ message: INITIALIZE, props });
    expect((await send({ id, message: CALL, props })).asked).toEqual(['_enter', 'fetch']);
  });

  it('is one for a session that nobody began', async ({ expect }) => {
    const id = env.LEGACY_AGENT.newUniqueId().toString();
    const error = { jsonrpc: '2.0', error: { code: -32_001, message: 'Session not found' }, id: null };
    for (const method of ['POST', 'GET']) {
      const { asked, status, text } = await send({ method, id, ...(method === 'POST' && { message: CALL }) });
      expect([asked, status, JSON.parse(text)]).toEqual([['_enter'], 404, error]);
    }
  });
});

describe('a session’s agent that cannot be reached for a moment', () => {
  const lost = () => Object.assign(new Error('Network connection lost.'), { retryable: true });
  const once: Wrong = (asked) => (asked.length === 1 ? lost() : undefined);

  it('is asked again where a session begins, and where an isolate comes to it', async ({ expect }) => {
    const begun = await send({ message: INITIALIZE, wrong: once });
    expect([begun.status, begun.asked]).toEqual([200, ['setInitializeRequest', 'setInitializeRequest', 'fetch']]);
    const called = await send({ id: begun.id, message: CALL, wrong: once }, createLegacyLane());
    expect([called.status, called.asked]).toEqual([200, ['_enter', '_enter', 'fetch']]);
  });

  it('is not sent a call twice, and is entered the next time', async ({ expect }) => {
    const { id } = await send({ message: INITIALIZE });
    await expect(send({ id, message: CALL, wrong: once })).rejects.toThrow('Network connection lost.');
    expect((await send({ id, message: CALL })).asked).toEqual(['_enter', 'fetch']);
  });

  it('is given up where the platform says that trying again does not help', async ({ expect }) => {
    const overloaded = () => Object.assign(lost(), { overloaded: true });
    await expect(send({ message: INITIALIZE, wrong: overloaded })).rejects.toThrow('Network connection lost.');
  });

  it('is asked in the package’s own steps where it is of an earlier version', async ({ expect }) => {
    const { id } = await send({ message: INITIALIZE });
    const wrong: Wrong = (asked) =>
      asked.at(-1) === '_enter' ? new TypeError('The RPC receiver does not implement the method "_enter".') : undefined;
    const { asked, status } = await send({ id, message: CALL, wrong }, createLegacyLane());
    expect([status, asked]).toEqual([200, ['_enter', '__unsafe_ensureInitialized', 'getInitializeRequest', 'fetch']]);
  });
});
