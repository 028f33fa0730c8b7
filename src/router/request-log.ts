/** What the log says about a request: only words of our own, whatever the client sent. Pure. */
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import type { Message } from '../shared/message.ts';
import { CATALOGUE_METHODS } from '../shared/protocol/answer.ts';

/** The methods of both protocol generations; every other is "other", since a client can call a method anything. */
const METHODS: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'server/discover',
  ...CATALOGUE_METHODS,
  'logging/setLevel',
  'subscriptions/listen',
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'notifications/roots/list_changed',
]);

export type ToolNames = Pick<Catalogue['tools'], 'has'>;

export interface LoggedCall {
  readonly method: string;
  readonly tool: string | null;
}

/** @param httpMethod What is logged for a request without a message; a POST without one was not read. */
export function callIn(message: Message | undefined, httpMethod: string, tools: ToolNames): LoggedCall {
  if (message === undefined) return { method: httpMethod === 'POST' ? '-' : httpMethod, tool: null };
  const { kind, params } = message;
  if (kind === 'batch' || kind === 'response') return { method: kind, tool: null };
  const named = message.method ?? '';
  const { name } = params;
  const isKnown = named === 'tools/call' && typeof name === 'string' && tools.has(name);
  return { method: METHODS.has(named) ? named : 'other', tool: isKnown ? name : null };
}
