/** Where a route stands in the migration, and the flag that says so. Pure. */

/** The legacy route: as today; as today with the candidate beside it; new sessions stateless; nothing any more. */
export const LEGACY_STAGES = ['legacy', 'shadow', 'stateless', 'gone'] as const;
export type LegacyStage = (typeof LEGACY_STAGES)[number];

/** The oldest transport has no stateless counterpart: it is served, or it is gone. */
export const SSE_STAGES = ['legacy', 'gone'] as const;
export type SseStage = (typeof SSE_STAGES)[number];

/**
 * The stateless route: as today; as today for whoever has begun in the protocol of 2026, which nobody begins any more; its
 * 2025 clients on the legacy lane; switched off.
 */
export const MCP_STAGES = ['stateless', 'drain', 'legacy', 'off'] as const;
export type McpStage = (typeof MCP_STAGES)[number];

export type Stage = LegacyStage | SseStage | McpStage;

export const ROUTE_KEYS = ['legacy', 'sse', 'mcp'] as const;
export type RouteKey = (typeof ROUTE_KEYS)[number];

/** One flag per route: a string whose variations are the route's stages. */
export const FLAG_KEYS = {
  legacy: 'legacy-route',
  sse: 'legacy-sse-route',
  mcp: 'mcp-route',
} as const satisfies Record<RouteKey, string>;

export const STAGES = { legacy: LEGACY_STAGES, sse: SSE_STAGES, mcp: MCP_STAGES } as const satisfies Record<
  RouteKey,
  readonly Stage[]
>;

/** From the first step of the migration to the last, for each route: what comes earlier is a step back. */
export const STEPS = {
  legacy: ['legacy', 'shadow', 'stateless', 'gone'],
  sse: ['legacy', 'gone'],
  mcp: ['off', 'legacy', 'drain', 'stateless'],
} as const satisfies { readonly [R in RouteKey]: readonly StageOf[R][] };

export type StageOf = { readonly legacy: LegacyStage; readonly sse: SseStage; readonly mcp: McpStage };

/** What each route does where nothing else is said: what it did before there were flags. */
export const USUAL_STAGE: StageOf = { legacy: 'legacy', sse: 'legacy', mcp: 'stateless' };

/** Where each route stands when nobody is left on the legacy lane. */
export const LAST_STAGE: StageOf = { legacy: 'gone', sse: 'gone', mcp: 'stateless' };

/** The variables of a route, where those are the flags: `LEGACY_ROUTE_STAGE`, `…_NEXT`, `…_PERCENT`, `…_CLIENTS`. */
export const VARIABLE_PREFIX = {
  legacy: 'LEGACY_ROUTE',
  sse: 'LEGACY_SSE_ROUTE',
  mcp: 'MCP_ROUTE',
} as const satisfies Record<RouteKey, string>;

/** What a deployment says of its routes: the keys of the flags, the stages without flags, and the variables' names. */
export interface RouteSettings {
  readonly flagKeys: Readonly<Record<RouteKey, string>>;
  readonly usual: StageOf;
  readonly variablePrefix: Readonly<Record<RouteKey, string>>;
}

export const ROUTE_SETTINGS: RouteSettings = {
  flagKeys: FLAG_KEYS,
  usual: USUAL_STAGE,
  variablePrefix: VARIABLE_PREFIX,
};

export const isStageOf = <R extends RouteKey>(route: R, value: unknown): value is StageOf[R] =>
  (STAGES[route] as readonly unknown[]).includes(value);
