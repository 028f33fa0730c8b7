/** The targets of a run without arguments: the three lanes of this project's Worker, on a free port. */
import { existsSync } from 'node:fs';
import { URL } from 'node:url';
import type * as DevServer from '../../scripts/lib/dev-server.ts';
import type { SanitizeRules } from '../../src/parity/sanitize.ts';
import type { RunOptions } from './run/options.ts';
import type { Target } from './targets/target.ts';

export interface OwnLanes extends AsyncDisposable {
  readonly targets: Pick<RunOptions, 'control' | 'candidates'>;
  /** Handles are random by design, and the tool `ping` tells the time. */
  readonly sanitize: (rules: SanitizeRules) => SanitizeRules;
}

/** Undefined outside of the project, where there is no Worker to start. */
export async function openOwnLanes(): Promise<OwnLanes | undefined> {
  const starter = new URL('../../scripts/lib/dev-server.ts', import.meta.url);
  if (!existsSync(starter)) return undefined;
  // Not bundled: it exists in the project only, and a comparison of two URLs needs none of it.
  const { startDevServer } = (await import(starter.href)) as typeof DevServer;
  const server = await startDevServer();
  const lane = (name: string, path: string, era: '2025' | '2026'): Target => ({
    name,
    address: { kind: 'http', url: `${server.url}${path}` },
    era,
    headers: {},
  });
  return {
    targets: {
      control: lane('legacy', '/legacy/mcp', '2025'),
      candidates: [lane('compat', '/mcp', '2025'), lane('modern', '/mcp', '2026')],
    },
    sanitize: (rules) => ({ ...rules, names: [...new Set([...rules.names, 'handle' as const])] }),
    [Symbol.asyncDispose]: () => server.stop(),
  };
}
