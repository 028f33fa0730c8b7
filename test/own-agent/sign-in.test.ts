/** A sign-in in front of a class of one's own, on each lane that serves it. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, it } from 'vitest';
import { guard, signIn } from 'hybrid-mcp/sign-in';
import documented from '../../docs/examples/sign-in/own-class.ts';
import { LANE_NAMES, openLane, type LaneName } from '../support/wire.ts';
import { HOSTED, ORIGIN, textOf, type Vars } from './clients.ts';
import { MyMCP } from './worker.ts';

const seen: unknown[] = [];
const door = signIn({
  tokens: (token) => {
    if (token === 'down') throw new Error('down');
    return /^token-of-\w+$/.test(token)
      ? { subject: token.slice(9), scopes: ['read'], props: { userId: token.slice(9), role: 'admin' } }
      : undefined;
  },
  authorizationServers: ['https://login.example.com'],
});
const guarded = guard(door, MyMCP.serve('/mcp'), { report: (one) => void seen.push(one) });

const sendWith =
  (vars: Vars) =>
  async (request: Request): Promise<Response> => {
    const sent = new Request(new URL('/mcp', request.url), request);
    sent.headers.set('host', 'localhost');
    return guarded.fetch(sent, { ...env, ...vars }, createExecutionContext());
  };
const openAs = (lane: LaneName, token: string) =>
  openLane(lane, {
    origin: ORIGIN,
    headers: { authorization: `Bearer ${token}` },
    send: sendWith(lane === 'legacy' ? {} : HOSTED),
  });
const initialize = (headers: Record<string, string> = {}): Request =>
  new Request(`${ORIGIN}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    }),
  });
const withLength = (request: Request): Request => {
  request.headers.set('content-length', '180');
  return request;
};

describe('a sign-in in front of a class', () => {
  it.for(LANE_NAMES)('tells it who calls on %s', async (lane, { expect }) => {
    expect(await textOf(await openAs(lane, 'token-of-ann'), 'whoami')).toBe('ann admin');
    expect(await textOf(await openAs(lane, 'token-of-ben'), 'secret')).toBe('secret of ben');
  });

  it.for(['POST', 'GET', 'DELETE'])('asks for a token on %s', async (method, { expect }) => {
    const request = method === 'POST' ? initialize() : new Request(`${ORIGIN}/mcp`, { method });
    const response = await sendWith(HOSTED)(request);
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer realm="mcp", resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource"`,
    ]);
    expect(response.headers.get('content-type')).toBe('application/json');
  });

  it('answers metadata, preflights and other paths without a token', async ({ expect }) => {
    const ask = (path: string, init: RequestInit = {}): Promise<Response> | Response =>
      guarded.fetch(new Request(`${ORIGIN}${path}`, init), env, createExecutionContext());
    expect(await (await ask('/.well-known/oauth-protected-resource/mcp')).json()).toMatchObject({
      resource: ORIGIN,
      authorization_servers: ['https://login.example.com'],
    });
    // Where clients look for the authorization server itself that know no other place.
    const moved = await ask('/.well-known/oauth-authorization-server', { redirect: 'manual' });
    expect([moved.status, moved.headers.get('location')]).toEqual([
      307,
      'https://login.example.com/.well-known/oauth-authorization-server',
    ]);
    expect((await ask('/mcp', { method: 'OPTIONS' })).status).toBe(200);
    expect((await ask('/elsewhere')).status).toBe(404);
  });

  it('says 410 to a client that is served no more before it asks for a token', async ({ expect }) => {
    const gone: Vars = { ...HOSTED, LEGACY_ROUTE_STAGE: 'gone' };
    expect((await sendWith(gone)(withLength(initialize()))).status).toBe(410);
    // Nobody reads what may be long of somebody unknown; and where nothing is gone, a token is asked for.
    expect((await sendWith(gone)(initialize())).status).toBe(401);
    expect((await sendWith(HOSTED)(withLength(initialize()))).status).toBe(401);
  });

  it('says 503 where a token cannot be checked, and tells the operator', async ({ expect }) => {
    const response = await sendWith(HOSTED)(initialize({ authorization: 'Bearer down' }));
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    expect(seen).toHaveLength(1);
  });

  it('as the page on sign-ins shows it: tokens of one’s own, kept under their digests', async ({ expect }) => {
    const { TOKENS, GUARDED_OBJECT } = env as unknown as {
      readonly TOKENS: KVNamespace;
      readonly GUARDED_OBJECT: DurableObjectNamespace;
    };
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode('a-token')));
    await TOKENS.put(digest.toHex(), JSON.stringify({ subject: 'ann', scopes: ['orders:read'] }));
    const vars = { TOKENS, MCP_OBJECT: GUARDED_OBJECT };
    const openWith = (token: string) =>
      openLane('legacy', {
        origin: ORIGIN,
        headers: { authorization: `Bearer ${token}` },
        send: async (request) =>
          documented.fetch(new Request(new URL('/mcp', request.url), request), vars, createExecutionContext()),
      });
    expect(await textOf(await openWith('a-token'), 'who')).toBe('ann');
    await expect(openWith('another-token')).rejects.toThrow('401');
  });
});
