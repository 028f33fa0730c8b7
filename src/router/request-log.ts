/** What the log says about a request: only words of our own, whatever the client sent. Pure. */
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import { isPlainObject } from '../shared/json.ts';
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

export interface Subject {
  readonly method: string;
  readonly tool: string | null;
}

export function subjectOf(json: unknown, tools: Catalogue['tools']): Subject {
  if (Array.isArray(json)) return { method: 'batch', tool: null };
  if (!isPlainObject(json) || typeof json['method'] !== 'string') return { method: 'response', tool: null };
  const method = METHODS.has(json['method']) ? json['method'] : 'other';
  const name = method === 'tools/call' && isPlainObject(json['params']) ? json['params']['name'] : undefined;
  return { method, tool: typeof name === 'string' && tools.has(name) ? name : null };
}
