/** The second argument of a handler, as both SDKs give it. */
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { McpServer as McpServerV2 } from '@modelcontextprotocol/server';
import { describe, it } from 'vitest';
import { z } from 'zod';
import { registrations } from '../../../src/port/index.ts';
import { createCatalogue, type Catalogue } from '../../../src/shared/catalogue/catalogue.ts';
import type { Registrations } from '../../../src/shared/define/registrations.ts';
import type { Json } from '../../../src/shared/json.ts';
import type { AskPort } from '../../../src/shared/pipeline/ports.ts';
import type { Report } from '../../../src/shared/pipeline/report.ts';
import { ask, asked } from '../../support/port/ask.ts';

const of = (registered: Registrations): Catalogue =>
  createCatalogue({
    info: { name: 'extra', title: 'Extra', version: '1.0.0' },
    instructions: '',
    tools: [],
    registrations: [registered],
  });
const text = (value: unknown) => ({ content: [{ type: 'text' as const, text: JSON.stringify(value) }] });
const request = {
  id: 7,
  meta: { progressToken: 'token', traceparent: '00-1' },
  sessionId: 'session',
  headers: { 'x-tenant': 'acme' },
  url: 'https://example.com/mcp',
  authInfo: { clientId: 'client' },
};

describe('the second argument of a handler', () => {
  it('has what SDK v1 gives', async ({ expect }) => {
    const catalogue = of(
      registrations((server: McpServer) => {
        server.tool('all', async (extra) =>
          text({
            id: extra.requestId,
            session: extra.sessionId,
            meta: extra._meta,
            auth: extra.authInfo,
            tenant: extra.requestInfo?.headers['x-tenant'],
            aborted: extra.signal.aborted,
          }),
        );
      }),
    );
    expect(await asked(catalogue, 'tools/call', { name: 'all' }, { request })).toEqual(
      text({
        id: 7,
        session: 'session',
        meta: { progressToken: 'token', traceparent: '00-1' },
        auth: { clientId: 'client' },
        tenant: 'acme',
        aborted: false,
      }),
    );
  });

  it('has what SDK v2 gives', async ({ expect }) => {
    const catalogue = of(
      registrations((server: McpServerV2) => {
        server.registerTool('all', {}, async (ctx) =>
          text({
            id: ctx.mcpReq.id,
            method: ctx.mcpReq.method,
            meta: ctx.mcpReq._meta,
            session: ctx.sessionId,
            auth: ctx.http?.authInfo,
            tenant: ctx.http?.req?.headers.get('x-tenant'),
            aborted: ctx.mcpReq.signal.aborted,
          }),
        );
      }),
    );
    expect(await asked(catalogue, 'tools/call', { name: 'all' }, { request })).toEqual(
      text({
        id: 7,
        method: 'tools/call',
        meta: { progressToken: 'token', traceparent: '00-1' },
        session: 'session',
        auth: { clientId: 'client' },
        tenant: 'acme',
        aborted: false,
      }),
    );
  });

  it('tells progress and log messages', async ({ expect }) => {
    const told = { progress: [] as unknown[], logged: [] as Json[] };
    const catalogue = of(
      registrations((server: McpServer) => {
        server.tool('tell', async ({ sendNotification, _meta }) => {
          const progressToken = _meta?.progressToken ?? '';
          await sendNotification({
            method: 'notifications/progress',
            params: { progressToken, progress: 1, total: 2 },
          });
          await sendNotification({ method: 'notifications/message', params: { level: 'info', data: { at: 1 } } });
          await server.sendLoggingMessage({ level: 'debug', data: 'text' });
          await server.server.sendLoggingMessage({ level: 'error', data: ['list'] });
          return text('told');
        });
      }),
    );
    expect(await asked(catalogue, 'tools/call', { name: 'tell' }, { request, told })).toEqual(text('told'));
    expect(told).toEqual({
      progress: [{ progress: 1, total: 2 }],
      logged: [
        { level: 'info', data: { at: 1 } },
        { level: 'debug', data: 'text' },
        { level: 'error', data: ['list'] },
      ],
    });
  });

  it('asks the user, the model and the client, by each way of asking', async ({ expect }) => {
    const form = { type: 'object' as const, properties: { count: { type: 'integer' as const } }, required: ['count'] };
    const pushed: unknown[] = [];
    const port: AskPort = {
      kind: 'push',
      client: new Set(['elicitation', 'sampling', 'roots']),
      push: async ({ key, method, params }) => {
        pushed.push([key, method, params]);
        if (method === 'elicitation/create') return { action: 'accept', content: { count: 3 } };
        if (method === 'roots/list') return { roots: [{ uri: 'file:///a' }] };
        return { role: 'assistant', model: 'm', content: { type: 'text', text: 'said' } };
      },
    };
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Say.' } }];
    const catalogue = of(
      registrations((server: McpServer) => {
        server.tool('ask', async ({ sendRequest }) => {
          const user = await server.server.elicitInput({ message: 'How many?', requestedSchema: form });
          const model = await server.server.createMessage({ messages, maxTokens: 9 });
          const roots = await server.server.listRoots();
          const again = await sendRequest(
            { method: 'elicitation/create', params: { message: 'Sure?', requestedSchema: form } },
            z.object({ action: z.string() }).loose() as never,
          );
          return text({ user, model, roots, again, can: server.server.getClientCapabilities() });
        });
      }),
    );
    expect(await asked(catalogue, 'tools/call', { name: 'ask' }, { ask: port })).toEqual(
      text({
        user: { action: 'accept', content: { count: 3 } },
        model: { role: 'assistant', content: { type: 'text', text: 'said' }, model: 'm' },
        roots: { roots: [{ uri: 'file:///a' }] },
        again: { action: 'accept', content: { count: 3 } },
        can: { elicitation: { form: {} }, sampling: {}, roots: {} },
      }),
    );
    expect(pushed).toEqual([
      ['q1', 'elicitation/create', { message: 'How many?', requestedSchema: form }],
      ['q2', 'sampling/createMessage', { messages, maxTokens: 9 }],
      ['q3', 'roots/list', {}],
      ['q4', 'elicitation/create', { message: 'Sure?', requestedSchema: form }],
    ]);
  });

  it('asks in rounds, by the order of its questions', async ({ expect }) => {
    const requestedSchema = { type: 'object' as const, properties: { ok: { type: 'boolean' as const } } };
    const catalogue = of(
      registrations((server: McpServer) => {
        server.tool('ask', async () => {
          const one = await server.server.elicitInput({ message: 'One?', requestedSchema });
          const two = await server.server.elicitInput({ message: 'Two?', requestedSchema });
          return text([one.content, two.content]);
        });
      }),
    );
    const rounds = (answers: Readonly<Record<string, Record<string, unknown>>>): AskPort => ({
      kind: 'rounds',
      client: new Set(['elicitation']),
      answers: new Map(Object.entries(answers)),
    });
    const keys = async (port: AskPort): Promise<unknown> => {
      const answered = await ask(catalogue, 'tools/call', { name: 'ask' }, { ask: port });
      return answered.kind === 'questions' ? answered.questions.map(({ key }) => key) : answered.kind;
    };
    const yes = { action: 'accept', content: { ok: true } };
    expect(await keys(rounds({}))).toEqual(['q1']);
    expect(await keys(rounds({ q1: yes }))).toEqual(['q2']);
    expect(await asked(catalogue, 'tools/call', { name: 'ask' }, { ask: rounds({ q1: yes, q2: yes }) })).toEqual(
      text([{ ok: true }, { ok: true }]),
    );
    const wrong = { action: 'accept', content: { ok: 'yes' } };
    expect(await asked(catalogue, 'tools/call', { name: 'ask' }, { ask: rounds({ q1: wrong }) })).toMatchObject({
      isError: true,
      content: [{ text: 'The answer to the question "q1" of the tool "ask" is not valid: ok: must be a boolean' }],
    });
  });

  it('refuses what has no way to the client, with the remedy', async ({ expect }) => {
    const reports: Report[] = [];
    const catalogue = of(
      registrations((server: McpServer) => {
        server.tool('updated', async ({ sendNotification }) => {
          await sendNotification({ method: 'notifications/resources/updated', params: { uri: 'a://b' } });
          return text('never');
        });
        server.tool('other', async ({ sendNotification }) => {
          await sendNotification({ method: 'notifications/progress', params: { progressToken: 'no', progress: 1 } });
          return text('never');
        });
        server.resource('r', 'a://b', async (uri, { sendNotification }) => {
          await sendNotification({ method: 'notifications/message', params: { level: 'info', data: uri.href } });
          return { contents: [] };
        });
      }),
    );
    await asked(catalogue, 'tools/call', { name: 'updated' }, { reports, request });
    await asked(catalogue, 'tools/call', { name: 'other' }, { reports, request });
    await asked(catalogue, 'resources/read', { uri: 'a://b' }, { reports, request });
    expect(reports.map(({ cause }) => String(cause))).toEqual([
      'TypeError: notifications/resources/updated cannot be sent: a call without a session has a stream for its progress and its log messages only. Leave the tool hosted if it needs more.',
      'TypeError: This progress token is not the one of the call. Send the token of extra._meta.progressToken.',
      'TypeError: A client is told by a tool or a prompt only.',
    ]);
  });
});
