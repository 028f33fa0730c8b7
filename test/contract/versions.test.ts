/** Clients of every older version get content that their version has, on each lane that serves them. */
import { evictDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, it } from 'vitest';
import { MessageReader } from '../support/events.ts';
import { readReply, type Message } from '../support/wire.ts';
import { ORIGIN, send } from './fixture-lanes.ts';

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const LINK = { type: 'resource_link', uri: 'test://static/text', name: 'text' };
const AS_TEXT = { type: 'text', text: 'Resource: text\nURI: test://static/text' };
const AUDIO = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' };
const AS_RESOURCE = { type: 'resource', resource: { uri: 'audio:block-3', mimeType: 'audio/wav', blob: 'AAAA' } };
const BLOCKS = { method: 'tools/call', params: { name: 'blocks', arguments: {} } } as const;

/** The third block and the last of what `blocks` gave. */
const seen = (message: Message | undefined): unknown[] => {
  const content = (message?.result?.['content'] ?? []) as unknown[];
  return [content[2], content[4], content.length];
};

const initialize = (version: string) => ({
  jsonrpc: '2.0',
  id: 'init',
  method: 'initialize',
  params: { protocolVersion: version, capabilities: {}, clientInfo: { name: 'old', version: '1' } },
});

async function callBlocks(path: string, version: string, asleep: boolean): Promise<unknown[]> {
  const post = async (body: object, headers: Record<string, string> = {}): Promise<Response> =>
    send(
      new Request(`${ORIGIN}${path}`, {
        method: 'POST',
        headers: { ...HEADERS, ...headers },
        body: JSON.stringify(body),
      }),
    );
  const opened = await post(initialize(version));
  const sessionId = opened.headers.get('mcp-session-id') ?? '';
  const { answer } = await readReply(opened, 'init');
  if (answer?.result?.['protocolVersion'] !== version)
    throw new TypeError(`Agreed on another: ${JSON.stringify(answer)}`);
  if (asleep) await evictDurableObject(env.LEGACY_AGENT.getByName(`streamable-http:${sessionId}`));
  // Clients repeat the version since 2025-06-18 only.
  const repeated = version >= '2025-06-18' ? { 'mcp-protocol-version': version } : {};
  const response = await post({ jsonrpc: '2.0', id: 1, ...BLOCKS }, { 'mcp-session-id': sessionId, ...repeated });
  return seen((await readReply(response, 1)).answer);
}

describe('blocks of a result', () => {
  const ROWS = [
    ['/legacy/mcp', '2024-11-05', AS_RESOURCE, AS_TEXT],
    ['/legacy/mcp', '2025-03-26', AUDIO, AS_TEXT],
    ['/legacy/mcp', '2025-06-18', AUDIO, LINK],
    ['/legacy/mcp', '2025-11-25', AUDIO, LINK],
    ['/mcp', '2025-03-26', AUDIO, AS_TEXT],
    ['/mcp', '2025-06-18', AUDIO, LINK],
    ['/mcp', '2025-11-25', AUDIO, LINK],
  ] as const;
  it.for(ROWS)('%s, %s', async ([path, version, audio, link], { expect }) => {
    expect(await callBlocks(path, version, false)).toEqual([audio, link, 5]);
  });

  it('legacy: the same after the session’s object was put to sleep', async ({ expect }) => {
    expect(await callBlocks('/legacy/mcp', '2024-11-05', true)).toEqual([AS_RESOURCE, AS_TEXT, 5]);
  });

  it('legacy: the same on the old transport', async ({ expect }) => {
    const stream = await send(new Request(`${ORIGIN}/legacy/sse`, { headers: { accept: 'text/event-stream' } }));
    // The first event names the URL to post to, and is no message.
    const opening = stream.body!.getReader();
    const first = new TextDecoder().decode((await opening.read()).value as Uint8Array);
    opening.releaseLock();
    const endpoint = /data: (\S+)/.exec(first)?.[1] ?? '';
    const post = async (body: object): Promise<void> => {
      const request = new Request(`${ORIGIN}${endpoint}`, {
        method: 'POST',
        headers: HEADERS,
        body: JSON.stringify(body),
      });
      expect((await send(request)).status).toBe(202);
    };
    const reader = new MessageReader(stream);
    await post(initialize('2024-11-05'));
    expect((await reader.next())?.result?.['protocolVersion']).toBe('2024-11-05');
    await post({ jsonrpc: '2.0', id: 1, ...BLOCKS });
    expect(seen(await reader.next())).toEqual([AS_RESOURCE, AS_TEXT, 5]);
    await reader.cancel();
  });
});
