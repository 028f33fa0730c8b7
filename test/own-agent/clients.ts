/** Requests to the Worker of these tests, at any stage and by any caller. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import type { SessionAgentApi } from '../../src/state/transfer.ts';
import { openLane, readReply, type Lane, type LaneName, type Send } from '../support/wire.ts';
import worker from './worker.ts';

export const ORIGIN = 'http://localhost';

export interface Who {
  readonly user?: string;
  readonly role?: string;
}

/** What a deployment says beside its bindings. */
export type Vars = Readonly<Record<string, string>>;

export const HOSTED: Vars = { LEGACY_ROUTE_STAGE: 'stateless', MCP_ROUTE_STAGE: 'stateless' };

/** Sends what is meant for a lane to a path of this Worker. */
export const sender =
  (vars: Vars = {}, { user, role }: Who = {}, path = '/mcp'): Send =>
  (request) => {
    const url = new URL(request.url);
    url.pathname = url.pathname.replace(/^\/(legacy\/)?mcp/, path);
    const sent = new Request(url, request);
    // As every request that comes over HTTP has it.
    sent.headers.set('host', url.host);
    if (user !== undefined) sent.headers.set('x-user', user);
    if (role !== undefined) sent.headers.set('x-role', role);
    return worker.fetch(sent as Parameters<typeof worker.fetch>[0], { ...env, ...vars }, createExecutionContext());
  };

export const openOwn = (
  lane: LaneName,
  vars: Vars,
  who: Who = {},
  capabilities: Record<string, unknown> = {},
): Promise<Lane> => openLane(lane, { origin: ORIGIN, send: sender(vars, who), capabilities });

/** A 2026 client without a sign-in that names its handle with each request, and looks past what is listed for handles. */
export async function openByHandle(vars: Vars = { ...HOSTED, AGENT_ANONYMOUS: 'handle' }): Promise<Lane> {
  const lane = await openOwn('modern', vars);
  const { answer: opened } = await lane.request('tools/call', { name: 'open_session_state', arguments: {} });
  const handle = opened?.result?.['structuredContent']?.['handle' as never] as unknown as string;
  return {
    ...lane,
    async request(method, params = {}, meta = {}) {
      if (method !== 'tools/call') return lane.request(method, params, { ...meta, 'hybrid-mcp/handle': handle });
      const args = params['arguments'] as Record<string, unknown>;
      return lane.request(method, { ...params, arguments: { ...args, handle } }, meta);
    },
  };
}

/** What is listed without the tool and the argument for handles. */
export function withoutHandles(result: Record<string, unknown>): Record<string, unknown> {
  const { tools } = result as { readonly tools?: { name: string; inputSchema: Record<string, unknown> }[] };
  if (tools === undefined) return result;
  const own = tools
    .filter(({ name }) => name !== 'open_session_state')
    .map((tool) => {
      const { properties, required, ...schema } = tool.inputSchema as {
        properties: Record<string, unknown>;
        required: string[];
      };
      const { handle: _handle, ...others } = properties;
      const names = required.filter((name) => name !== 'handle');
      const inputSchema = { ...schema, properties: others, ...(names.length > 0 && { required: names }) };
      return { ...tool, inputSchema };
    });
  return { ...result, tools: own };
}

/** The same server without this package. */
export const openPlain = (who: Who = {}, capabilities: Record<string, unknown> = {}): Promise<Lane> =>
  openLane('legacy', { origin: ORIGIN, send: sender({}, who, '/plain'), capabilities });

export async function textOf(lane: Lane, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const { answer } = await lane.request('tools/call', { name, arguments: args });
  const content = answer?.result?.['content'] as { readonly text?: string }[] | undefined;
  return content?.[0]?.text ?? JSON.stringify(answer?.error ?? answer?.result);
}

/** The requests of a session at another stage, or by somebody else who has its id. */
export function at(lane: Lane, vars: Vars, who: Who): Lane['request'] {
  const send = sender(vars, who);
  return async (method, params = {}) => {
    const response = await send(
      new Request(`${ORIGIN}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-11-25',
          'mcp-session-id': lane.sessionId ?? '',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 'at', method, params }),
      }),
    );
    return readReply(response, 'at');
  };
}

/** A session's agent, as an operator reaches it. */
export const agentOf = (sessionId: string | undefined) =>
  (env as unknown as { MCP_OBJECT: DurableObjectNamespace }).MCP_OBJECT.getByName(
    `streamable-http:${sessionId}`,
  ) as unknown as Pick<SessionAgentApi, 'drain' | 'takeBack' | 'standing'>;

/** A listing as a 2026 client asks for it. */
export const listing = (): Request =>
  new Request(`${ORIGIN}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/list',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/list',
      params: {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'one', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  });

export const modernRequest = (path: string, vars: Vars, who: Who = {}): Promise<Response> =>
  sender(vars, who, path)(listing());
