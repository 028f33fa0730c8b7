/** The package `hybrid-mcp`: composes a Worker that serves one catalogue to both generations of MCP clients. */
export { createHybrid, type Hybrid } from './hybrid/create.ts';
export { HybridOptionsError, type HybridOptions } from './hybrid/options.ts';
export type { BindingNames, HybridEnv } from './hybrid/bindings.ts';
export type { RoutePaths } from './router/routes.ts';
export type { ScopesReader, SubjectReader } from './shared/caller.ts';
export type { Report, Reporter } from './shared/pipeline/report.ts';
export * from './define.ts';
