/** Decides which lane serves a request, once, with its reason. Pure: no I/O, no clock; it reads no flags itself. */

export type Era = '2025' | '2026';

export interface Facts {
  readonly route: 'legacy' | 'mcp';
  readonly era: Era;
  /** False once the legacy half has been removed from the Worker. */
  readonly hasLegacy: boolean;
}

export type Decision =
  | { readonly lane: 'legacy'; readonly reason: 'route' }
  | { readonly lane: 'compat'; readonly reason: 'era_2025' | 'drained' }
  | { readonly lane: 'modern'; readonly reason: 'era_2026' }
  | { readonly lane: 'none'; readonly reason: 'era_not_served' | 'gone' };

export function decide({ route, era, hasLegacy }: Facts): Decision {
  if (route === 'mcp')
    return era === '2026' ? { lane: 'modern', reason: 'era_2026' } : { lane: 'compat', reason: 'era_2025' };
  if (!hasLegacy) return { lane: 'none', reason: 'gone' };
  // Such a client negotiates first and falls back to `initialize` when it is refused in JSON-RPC.
  if (era === '2026') return { lane: 'none', reason: 'era_not_served' };
  return { lane: 'legacy', reason: 'route' };
}
