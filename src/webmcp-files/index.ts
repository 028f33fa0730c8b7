/**
 * The entry point `hybrid-mcp/webmcp-files`: `hybrid-mcp/webmcp` as files that a Worker serves, its client bundled. A Worker
 * that does not import it holds none of it.
 */
import { CLIENT_FILE, MODULE_FILE } from './files.ts';

/** What may be served beside the module. */
export interface WebmcpFilesOptions {
  /** HTML of a page, which is served at the path itself. */
  readonly page?: string;
}

/** The files, for the option `webmcp` of `createHybrid`. */
export interface ServedWebmcp {
  /** The module with `registerServerTools`. */
  readonly module: string;
  /** SDK v2's client, for the module. */
  readonly client: string;
  /** The page, if one was given. */
  readonly page?: string;
}

/**
 * Makes the Worker serve `/webmcp/tools.js`, from which a page imports `registerServerTools`.
 *
 * @example
 * ```ts
 * const hybrid = createHybrid({ catalogue, webmcp: webmcpFiles() });
 * ```
 */
export function webmcpFiles({ page }: WebmcpFilesOptions = {}): ServedWebmcp {
  return { module: MODULE_FILE, client: CLIENT_FILE, ...(page !== undefined && { page }) };
}
