/**
 * What the demo asks each lane, in order; the rows share one session a lane. Every tool of the catalogue has a row: one
 * without fails the demo. A tool of your own gets a row here, with arguments that show what it does.
 */
import type { TableRow } from '../../src/parity/run-table.ts';
import type { JsonObject } from '../../src/shared/json.ts';
import { SERVER_DESCRIPTION } from './ask.ts';

/** The first handle that a lane gave out: on each lane another text, with the same meaning. */
const COUNTER = '<name 1>';

const tool = (name: string, args: JsonObject, remark?: string): TableRow => ({
  name: remark === undefined ? name : `${name}, ${remark}`,
  method: 'tools/call',
  params: { name, arguments: args },
});

export const ROWS: readonly TableRow[] = [
  { name: 'server description', method: SERVER_DESCRIPTION },
  { name: 'list of tools', method: 'tools/list' },
  { name: 'list of prompts', method: 'prompts/list' },
  { name: 'list of resources', method: 'resources/list' },
  { name: 'list of resource templates', method: 'resources/templates/list' },

  tool('add', { a: 2, b: 3 }),
  { ...tool('ping', {}), tellsTime: true },
  tool('search', { query: 'session id expired', limit: 3 }),
  tool('lookup', { id: 'p-002' }),
  tool('readDocument', { id: 'session-ids' }),
  tool('qrCode', { text: 'https://example.com/', ecc: 'Q', scale: 2 }),
  tool('incrementCounter', { by: 2 }),
  tool('incrementCounter', { by: 3, handle: COUNTER }, 'again'),
  tool('getCounter', { handle: COUNTER }),
  tool('getCounter', {}, 'without its handle'),
  tool('resetCounter', { handle: COUNTER }),

  tool('add', { a: 'two' }, 'invalid arguments'),
  tool('lookup', { id: 'p-999' }, 'refused by the tool'),
  tool('noSuchTool', {}, 'unknown tool'),

  {
    name: 'prompt',
    method: 'prompts/get',
    params: { name: 'summarizeDocument', arguments: { id: 'session-ids', audience: 'operator' } },
  },
  {
    name: 'prompt, unknown document',
    method: 'prompts/get',
    params: { name: 'summarizeDocument', arguments: { id: 'no-such-document' } },
  },
  {
    name: 'completion',
    method: 'completion/complete',
    params: { ref: { type: 'ref/prompt', name: 'summarizeDocument' }, argument: { name: 'id', value: 's' } },
  },
  { name: 'resource', method: 'resources/read', params: { uri: 'docs://desk/index' } },
  { name: 'resource of a template', method: 'resources/read', params: { uri: 'docs://desk/documents/session-ids' } },
  { name: 'resource, unknown', method: 'resources/read', params: { uri: 'docs://desk/documents/no-such-document' } },
];
