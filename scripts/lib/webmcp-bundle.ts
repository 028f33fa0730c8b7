/** Bundles `hybrid-mcp/webmcp` for browsers, in two files: the module, and the client that it loads when it needs one. */
import path from 'node:path';
import { build } from 'esbuild';
import { PROJECT_ROOT } from './wrangler.ts';

const FOLDER = path.join(PROJECT_ROOT, 'src/webmcp');

export interface WebmcpBundle {
  readonly module: string;
  readonly client: string;
}

export async function bundleWebmcp(): Promise<WebmcpBundle> {
  const [module, client] = await Promise.all([bundle('index.ts'), bundle('client.ts')]);
  return { module, client };
}

/** The TypeScript file that holds the bundle. */
export const sourceOf = ({ module, client }: WebmcpBundle): string =>
  `/** Made by "npm run build:webmcp" from src/webmcp; test/node/webmcp/files.test.ts says when it is stale. */
export const MODULE_FILE: string = ${JSON.stringify(module)};
export const CLIENT_FILE: string = ${JSON.stringify(client)};
`;

async function bundle(entry: string): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: PROJECT_ROOT,
    entryPoints: [path.join(FOLDER, entry)],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2024',
    minify: true,
    legalComments: 'inline',
    logLevel: 'warning',
    plugins: [
      {
        name: 'client beside the module',
        setup: (build) => {
          build.onResolve({ filter: /^\.\/client\.ts$/ }, () => ({ path: './client.js', external: true }));
        },
      },
    ],
  });
  return outputFiles[0]?.text ?? '';
}
