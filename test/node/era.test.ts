/** The era at a glance never disagrees with the package, which reads the whole body. */
import * as fc from 'fast-check';
import { isLegacyRequest } from '@modelcontextprotocol/server';
import { describe, it } from 'vitest';
import { messageOf } from '../../src/shared/message.ts';
import { readMessage } from '../../src/router/door/shape.ts';
import { eraAtAGlance } from '../../src/stateless/request.ts';

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const version = fc.constantFrom(
  '2026-07-28',
  '2025-11-25',
  '2025-06-18',
  '2024-11-05',
  '2027-01-01',
  '1',
  '',
  ' 2025-11-25',
);
const meta = fc.record(
  { [VERSION_KEY]: fc.oneof(version, fc.constantFrom(null, 1, {})), progressToken: fc.integer(), other: fc.boolean() },
  { requiredKeys: [] },
);
const params = fc.record({ _meta: meta, name: fc.string() }, { requiredKeys: [] });
const method = fc.constantFrom(
  'tools/call',
  'tools/list',
  'initialize',
  'server/discover',
  'notifications/cancelled',
  '',
);
const id = fc.oneof(fc.integer(), fc.string());
const jsonrpc = fc.constant('2.0');
const message = fc.oneof(
  { weight: 6, arbitrary: fc.record({ jsonrpc, id, method, params }, { requiredKeys: ['jsonrpc', 'method'] }) },
  { weight: 1, arbitrary: fc.record({ jsonrpc, id, result: params }) },
);
const body = fc.oneof({ weight: 9, arbitrary: message }, { weight: 1, arbitrary: fc.array(message, { maxLength: 2 }) });
const header = fc.option(version, { nil: undefined });

const requestWith = (version: string | undefined): Request =>
  new Request('http://localhost/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(version !== undefined && { 'mcp-protocol-version': version }) },
  });

describe('the era at a glance', () => {
  it('is what the package says, or is left to it, for all that the door lets in', async ({ expect }) => {
    const seen = { '2025': 0, '2026': 0, left: 0 };
    await fc.assert(
      fc.asyncProperty(body, header, async (body, header) => {
        const read = readMessage(body, true);
        fc.pre(read.ok);
        if (!read.ok) return;
        const request = requestWith(header);
        const glance = eraAtAGlance(request.headers, read.message);
        seen[glance ?? 'left'] += 1;
        if (glance !== undefined) expect(glance).toBe((await isLegacyRequest(request, body)) ? '2025' : '2026');
      }),
      { numRuns: 600 },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(20);
  });

  it('is seen for the requests that clients send all day', ({ expect }) => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'add' } };
    expect(eraAtAGlance(requestWith(undefined).headers, messageOf(call))).toBe('2025');
    expect(eraAtAGlance(requestWith('2025-11-25').headers, messageOf(call))).toBe('2025');
    const modern = { ...call, params: { ...call.params, _meta: { [VERSION_KEY]: '2026-07-28' } } };
    expect(eraAtAGlance(requestWith('2026-07-28').headers, messageOf(modern))).toBe('2026');
  });
});
