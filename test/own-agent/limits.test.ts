/** What hosting refuses, ends or leaves to sessions, and what it says about it. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { McpServer as ServerOfSdk2 } from '@modelcontextprotocol/server';
import { McpAgent as PlainMcpAgent } from 'agents/mcp';
import { McpAgent, sessionAgent } from 'hybrid-mcp/agent';
import { describe, it, vi } from 'vitest';
import { subjectIn } from '../../src/shared/caller.ts';
import { agentOf, HOSTED, listing, modernRequest, openOwn, ORIGIN, sender, textOf, type Vars } from './clients.ts';
import { openLane } from '../support/wire.ts';
import { MyMCP } from './worker.ts';

const fresh = (): { user: string } => ({ user: crypto.randomUUID() });

describe('a client that goes', () => {
  it('aborts the signal of the handler that works for it', async ({ expect }) => {
    const user = fresh();
    const lane = await openOwn('modern', HOSTED, user);
    const leaving = new AbortController();
    const asked = await modernCall('wait', leaving.signal, sender(HOSTED, user));
    expect(asked.headers.get('content-type')).toContain('text/event-stream');
    expect(await textOf(lane, 'increment')).toBe('1 in 1 rows');
    await asked.body?.cancel();
    // The handler notes in its state that its signal has fired.
    await expect
      .poll(async () => textOf(lane, 'whoami').then(() => textOf(lane, 'increment', { by: 0 })))
      .toMatch(/^-1 in/);
  });
});

const modernCall = (name: string, signal: AbortSignal, send: (request: Request) => Promise<Response>) =>
  send(
    new Request(`${ORIGIN}/mcp`, {
      method: 'POST',
      signal,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': name,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name,
          arguments: {},
          _meta: {
            progressToken: 1,
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'one', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    }),
  );

describe('a variable that cannot be read', () => {
  const WRONG = {
    AGENT_KEEPS_NO_STATE: ['yes', 'must be on or off. Until it is, it counts as if it were not set.'],
    AGENT_NEEDS_SESSION: ['1', 'must be on or off. Until it is, it counts as if it were not set.'],
    AGENT_ANONYMOUS: ['maybe', 'must be refuse or handle. Until it is, it counts as if it were not set.'],
    SESSION_IDLE_MS: [
      '1 day',
      'must be a whole number of milliseconds, at least 100. Until it is, it counts as if it were not set.',
    ],
    MCP_ROUTE_STAGE: ['statless', 'must be one of stateless, drain, legacy, off.'],
    LEGACY_ROUTE_NEXT: ['stateles', 'must be one of legacy, shadow, stateless, gone.'],
    LEGACY_ROUTE_PERCENT: ['ten', 'must be a number from 0 to 100.'],
  } as const;

  it.for(Object.entries(WRONG))('stops nobody and is said once: %s', async ([name, [value, rule]], { expect }) => {
    const said = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    class Fresh extends MyMCP {}
    const send = (request: Request): Promise<Response> =>
      Fresh.serve('/mcp').fetch(request, { ...env, [name]: value } as never, createExecutionContext());
    const legacy = await openLane('legacy', { origin: ORIGIN, send: (request) => send(atMcp(request)) });
    expect(await textOf(legacy, 'increment')).toBe('1 in 1 rows');
    const [modern, plain] = [await send(listing()), await modernRequest('/plain', {})];
    expect([modern.status, await modern.json()]).toEqual([plain.status, await plain.json()]);
    const lines = said.mock.calls.map(([line]) => JSON.parse(String(line)) as { problems?: unknown });
    said.mockRestore();
    expect(lines.map(({ problems }) => problems).filter((problems) => problems !== undefined)).toEqual([
      [`The variable ${name} ${rule}`],
    ]);
  });
});

const atMcp = (request: Request): Request => new Request(`${ORIGIN}/mcp`, request);

describe('a client that needs a session', () => {
  it.for(['elicitation', 'sampling', 'roots'])(
    'because it declares %s begins one on the legacy lane',
    async (capability, { expect }) => {
      const lane = await openOwn('legacy', HOSTED, fresh(), { [capability]: {} });
      expect(await agentOf(lane.sessionId).standing()).toBe('live');
      const other = await openOwn('legacy', HOSTED, fresh());
      expect(await agentOf(other.sessionId).standing()).toBe('drained');
    },
  );

  it('is told by the class itself that it cannot be asked on the compat lane', async ({ expect }) => {
    const lane = await openOwn('legacy', HOSTED, fresh());
    expect(await textOf(lane, 'book')).toBe('Client does not support form elicitation.');
  });
});

describe('stages', () => {
  it.for([
    [{ LEGACY_ROUTE_STAGE: 'gone' }, 'legacy', 410],
    [{ MCP_ROUTE_STAGE: 'off' }, 'modern', 404],
  ] as const)('%j end what they name', async ([vars, lane, status], { expect }) => {
    const response = lane === 'modern' ? await modernRequest('/mcp', vars, fresh()) : await initialize(vars);
    expect(response.status).toBe(status);
  });

  it('that no variable can mean leave everybody where they are', async ({ expect }) => {
    // A deployment that remembers a stage stays there; this one has no object to remember any.
    const forgetful = { OPERATOR_OBJECT: '' };
    expect((await initialize({ ...forgetful, LEGACY_ROUTE_STAGE: 'rubbish' })).status).toBe(200);
    expect((await modernRequest('/mcp', { ...forgetful, MCP_ROUTE_STAGE: 'rubbish' }, fresh())).status).toBe(400);
  });

  it('move 2026 clients by name', async ({ expect }) => {
    const vars = { MCP_ROUTE_STAGE: 'legacy', MCP_ROUTE_NEXT: 'stateless', MCP_ROUTE_CLIENTS: 'one' };
    expect((await modernRequest('/mcp', vars, fresh())).status).toBe(200);
    expect((await modernRequest('/mcp', { ...vars, MCP_ROUTE_CLIENTS: 'two' }, fresh())).status).toBe(400);
  });
});

const initializing = (): Request =>
  new Request(`${ORIGIN}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'one', version: '1' } },
    }),
  });
const initialize = (vars: Record<string, string>): Promise<Response> => sender(vars)(initializing());

describe('a class that cannot be served', () => {
  it('because it is none of the agents package is refused when the Worker starts', ({ expect }) => {
    class NoAgent {
      readonly name = 'none';
    }
    expect(() => sessionAgent(NoAgent as never)).toThrow(
      'sessionAgent() takes a class that extends McpAgent of "agents/mcp". For a server of SDK v2, use createMcpHandler of "agents/mcp/server" as it is.',
    );
    expect(() => sessionAgent(undefined as never)).toThrow('sessionAgent() takes a class that extends McpAgent');
  });

  it('because it has a member of a name that is added is refused when the Worker starts', ({ expect }) => {
    class Taken extends PlainMcpAgent {
      server = new ServerOfSdk2({ name: 'x', version: '1' }) as never;
      async init(): Promise<void> {}
      async _host(): Promise<void> {}
    }
    expect(() => sessionAgent(Taken)).toThrow('The class "Taken" has members named "_host"');
  });

  it('because its binding is missing is told so, in the package’s words while it serves alone', async ({ expect }) => {
    class Other extends McpAgent {
      server = new ServerOfSdk2({ name: 'x', version: '1' }) as never;
      async init(): Promise<void> {}
    }
    const request = new Request(`${ORIGIN}/mcp`, { method: 'POST', body: '{}' });
    await expect(
      Other.serve('/mcp', { binding: 'MISSING' }).fetch(request, env, createExecutionContext()),
    ).rejects.toThrow('Could not find McpAgent binding for MISSING');
  });
});

describe('sessionAgent', () => {
  it('gives a class that cannot change its base the same', ({ expect }) => {
    class Own extends PlainMcpAgent {
      server = new ServerOfSdk2({ name: 'x', version: '1' }) as never;
      static readonly note = 'kept';
      async init(): Promise<void> {}
    }
    const Served = sessionAgent(Own, { subject: 'login' });
    expect([Served.name, Served.note, Served.hybrid, typeof Served.serve, typeof Served.mount]).toEqual([
      'Own',
      'kept',
      { subject: 'login' },
      'function',
      'function',
    ]);
  });
});

type Calls = Readonly<Record<string, (...args: unknown[]) => unknown>>;

describe('serve', () => {
  it('gives the same for the same class, path and options, as people call it for each request', ({ expect }) => {
    class Other extends MyMCP {}
    expect(MyMCP.serve('/mcp')).toBe(MyMCP.serve('/mcp'));
    expect(MyMCP.serve('/mcp', { binding: 'A' })).toBe(MyMCP.serve('/mcp', { binding: 'A' }));
    const others = [
      MyMCP.serve('/other'),
      MyMCP.serve('/mcp', { binding: 'A' }),
      MyMCP.serveSSE('/mcp'),
      Other.serve('/mcp'),
    ];
    expect(new Set([MyMCP.serve('/mcp'), ...others]).size).toBe(5);
  });

  it.for([
    ['/', '/anything'],
    ['/:tenant/mcp', '/acme/mcp'],
    ['/deep/*', '/deep/er/mcp'],
  ] as const)('answers on the stateless lanes wherever the class is served: %s', async ([path, at], { expect }) => {
    const ask = async (request: Request): Promise<readonly [number, string | null]> => {
      const ctx = Object.assign(createExecutionContext(), { props: { userId: 'ann' } });
      const sent = new Request(`${ORIGIN}${at}`, request);
      const response = await MyMCP.serve(path).fetch(sent, { ...env, ...HOSTED } as never, ctx);
      await response.text();
      return [response.status, response.headers.get('server-timing')];
    };
    expect(await ask(listing())).toEqual([200, 'lane;desc="modern", reason;desc="era_2026"']);
    expect(await ask(initializing())).toEqual([200, 'lane;desc="compat", reason;desc="flag"']);
  });

  it('asks an object once for a call, also if it is called for each request', async ({ expect }) => {
    const asked: string[] = [];
    const objects = (env as unknown as { MCP_OBJECT: DurableObjectNamespace }).MCP_OBJECT;
    const counted = new Proxy(objects, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (name !== 'get') return typeof member === 'function' ? (member.bind(target) as unknown) : member;
        return (id: DurableObjectId) =>
          new Proxy(target.get(id) as unknown as Calls, {
            get:
              (stub, method) =>
              (...args: unknown[]) => {
                asked.push(String(method));
                return stub[String(method)]?.(...args);
              },
          });
      },
    });
    const vars = { ...HOSTED, MCP_OBJECT: counted };
    const user = crypto.randomUUID();
    for (let call = 0; call < 3; call += 1) {
      const ctx = Object.assign(createExecutionContext(), { props: { userId: user } });
      const response = await MyMCP.serve('/mcp').fetch(listing(), { ...env, ...vars } as never, ctx);
      expect(response.status).toBe(200);
      await response.text();
    }
    expect(asked).toEqual(['_describeHosted', '_host', '_host', '_host']);
  });
});

describe('initialize that the package refuses', () => {
  it.for([
    ['for what it accepts', { accept: 'application/json' }, 406],
    ['for its media type', { 'content-type': 'text/plain' }, 415],
    ['because it names a session', { 'mcp-session-id': 'a'.repeat(64) }, 400],
  ] as const)('%s begins no session on the compat lane either', async ([, headers, status], { expect }) => {
    const ask = async (vars: Vars, path: string) => {
      const response = await sender(
        vars,
        {},
        path,
      )(
        new Request(`${ORIGIN}/mcp`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            ...headers,
          },
          body: JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'initialize',
            params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'one', version: '1' } },
          }),
        }),
      );
      return [response.status, Object.fromEntries(response.headers), await response.text()] as const;
    };
    const plain = await ask({}, '/plain');
    expect(plain[0]).toBe(status);
    expect(await ask(HOSTED, '/mcp')).toEqual(plain);
  });
});

describe('a caller whose name is deeper in the properties', () => {
  it('is found by a path', ({ expect }) => {
    const subjectOf = subjectIn('claims.sub');
    expect([
      subjectOf({ claims: { sub: 'ann' } }),
      subjectOf({ claims: 'ann' }),
      subjectOf({}),
      subjectOf({ 'claims.sub': 'bob' }),
    ]).toEqual(['ann', undefined, undefined, 'bob']);
  });
});
