/** `npm run build:webmcp`: writes the files that a Worker serves to browsers, src/webmcp-files/files.ts. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { bundleWebmcp, sourceOf } from './lib/webmcp-bundle.ts';
import { PROJECT_ROOT } from './lib/wrangler.ts';

await writeFile(path.join(PROJECT_ROOT, 'src/webmcp-files/files.ts'), sourceOf(await bundleWebmcp()));
