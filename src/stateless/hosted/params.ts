/** What of a request's parameters reaches the class, and which methods its server has. Pure. */
import type { Era } from '../../lane/contract.ts';
import { isPlainObject, type JsonObject } from '../../shared/json.ts';

/** The 2026-07-28 protocol's own additions to `params`, which a handler of SDK v1 does not know. */
const ENVELOPE_PREFIX = 'io.modelcontextprotocol/';

/** @returns JSON, or undefined if the request has no parameters. */
export function paramsFor(params: unknown, progressToken: string | number | undefined): string | undefined {
  if (!isPlainObject(params))
    return progressToken === undefined ? undefined : JSON.stringify({ _meta: { progressToken } });
  const { _meta: meta, inputResponses: _responses, requestState: _state, ...own } = params;
  const kept = Object.entries(isPlainObject(meta) ? meta : {}).filter(([key]) => !key.startsWith(ENVELOPE_PREFIX));
  const all = { ...Object.fromEntries(kept), ...(progressToken !== undefined && { progressToken }) };
  return JSON.stringify({ ...own, ...(Object.keys(all).length > 0 && { _meta: all }) });
}

/** The capability that a method belongs to, by the first part of its name. */
const CAPABILITY = {
  tools: 'tools',
  prompts: 'prompts',
  resources: 'resources',
  completion: 'completions',
  logging: 'logging',
};

/** Methods of a protocol generation that the other does not have. */
const ONLY_2025: ReadonlySet<string> = new Set(['resources/subscribe', 'resources/unsubscribe', 'logging/setLevel']);

/** @returns Whether a server with these capabilities has a method. */
export function servedBy(capabilities: JsonObject, era: Era): (method: string) => boolean {
  return (method) => {
    if (era === '2026' && ONLY_2025.has(method)) return false;
    const family = method.split('/', 1)[0] ?? '';
    const capability = Object.hasOwn(CAPABILITY, family) ? CAPABILITY[family as keyof typeof CAPABILITY] : undefined;
    return capability === undefined ? era === '2025' : capabilities[capability] !== undefined;
  };
}
