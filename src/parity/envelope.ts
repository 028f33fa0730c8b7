/**
 * What a protocol version requires of every message, whatever the server means to say with it. SDK clients throw where it
 * is missing, so two servers that both leave it out are not equal to what a client expects. Pure.
 */
import { isPlainObject } from '../shared/json.ts';
import type { Difference } from './compare.ts';

export interface EnvelopeFault {
  /** For example `resultType`, `ttlMs`, `error.code`. */
  readonly key: string;
  readonly requires: string;
  /** What stands there; undefined for nothing. */
  readonly found: unknown;
}

/** Results that say how long they may be kept (spec 2026-07-28, server/utilities/caching). */
const CACHEABLE: ReadonlySet<string> = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);
/** The member without which a result says nothing; the 2025 clients forgive `content` alone. */
const LISTS: Readonly<Record<string, string>> = {
  'tools/call': 'content',
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'prompts/get': 'messages',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'resources/read': 'contents',
};

/** @param message A JSON-RPC response to a request of this method. */
export function envelopeFaults(era: '2025' | '2026', method: string, message: unknown): readonly EnvelopeFault[] {
  if (!isPlainObject(message)) return [];
  const faults: EnvelopeFault[] = [];
  const demand = (key: string, found: unknown, requires: string, fits: boolean): void => {
    if (!fits) faults.push({ key, requires, found });
  };
  const { jsonrpc, error, result } = message;
  demand('jsonrpc', jsonrpc, '"2.0"', jsonrpc === '2.0');
  if (isPlainObject(error)) {
    demand('error.code', error['code'], 'a whole number', Number.isInteger(error['code']));
    demand('error.message', error['message'], 'a text', typeof error['message'] === 'string');
    demand('result', result, 'no result beside an error', result === undefined);
    return faults;
  }
  if (!isPlainObject(result)) return faults;
  if (method === 'initialize' || (method === 'server/discover' && era === '2026'))
    demand('capabilities', result['capabilities'], 'an object', isPlainObject(result['capabilities']));
  if (method === 'initialize') {
    const info = result['serverInfo'];
    const named = isPlainObject(info) && typeof info['name'] === 'string' && typeof info['version'] === 'string';
    demand('serverInfo', info, 'an object with name and version', named);
  }
  const unfinished = result['resultType'] === 'input_required' || 'task' in result;
  const list = LISTS[method];
  if (list !== undefined && !unfinished && !(era === '2025' && list === 'content'))
    demand(list, result[list], 'a list', Array.isArray(result[list]));
  if (era === '2026') modern(method, result, demand);
  return faults;
}

type Demand = (key: string, found: unknown, requires: string, fits: boolean) => void;

function modern(method: string, result: Readonly<Record<string, unknown>>, demand: Demand): void {
  const { resultType, ttlMs, cacheScope, inputRequests, requestState } = result;
  const known = resultType === 'complete' || resultType === 'input_required' || 'task' in result;
  demand('resultType', resultType, '"complete" or "input_required"', known);
  if (resultType === 'input_required') {
    const asks = isPlainObject(inputRequests) && Object.keys(inputRequests).length > 0;
    demand('inputRequests', inputRequests, 'a request or a requestState', asks || typeof requestState === 'string');
  } else if (CACHEABLE.has(method)) {
    demand('ttlMs', ttlMs, 'a whole number of at least 0', Number.isInteger(ttlMs) && (ttlMs as number) >= 0);
    demand('cacheScope', cacheScope, '"public" or "private"', cacheScope === 'public' || cacheScope === 'private');
  }
}

/** As a difference from what the specification says, which then stands on the control's side. */
export function envelopeDifference(era: '2025' | '2026', { key, requires, found }: EnvelopeFault): Difference {
  const version = era === '2026' ? '2026-07-28' : '2025-11-25';
  const candidate = found === undefined ? undefined : (found as Difference['candidate']);
  return { path: `envelope.${key}`, control: `${version} requires ${requires}`, candidate };
}
