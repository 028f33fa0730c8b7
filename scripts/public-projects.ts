/**
 * `npm run prove:public -- <folder> [names]`: adopts this package for public `McpAgent` projects, whose checkouts are in
 * the folder, each in a scratch copy: the one import is changed, the Worker is bundled, and what clients see is held against
 * the project without this package, on the legacy lane and on the modern lane. Prints a row for each. Ends with 1 if something
 * differs that docs/adopting.md does not name, with 2 if nothing was tried.
 *
 *   --cases N        generated calls of each tool (default 5)
 *   --skip NAMES     tools that are not called, since they wait for something that is not there
 *   --package FILE   the packed package; without it, the one in dist
 *   --scratch DIR    where to work; without it, a folder that is removed
 */
import { readdir, rm, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { adopt, type Adopted } from './lib/public-adoption.ts';
import { PROJECT_ROOT } from './lib/wrangler.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    cases: { type: 'string', default: '5' },
    package: { type: 'string', default: path.join(PROJECT_ROOT, 'dist/hybrid-mcp-0.1.0.tgz') },
    scratch: { type: 'string' },
    skip: { type: 'string' },
  },
});
const [checkouts, ...names] = positionals;
if (checkouts === undefined) throw new TypeError('Name the folder of the checkouts: npm run prove:public -- <folder>');
const scratch = values.scratch ?? (await mkdtemp(path.join(tmpdir(), 'public-projects-')));
const rows: Adopted[] = [];
try {
  const projects = (await readdir(checkouts)).filter((name) => names.length === 0 || names.includes(name)).toSorted();
  for (const name of projects) {
    const row = await adopt({
      source: path.resolve(checkouts, name),
      scratch,
      tarball: path.resolve(values.package),
      cases: Number(values.cases),
      ...(values.skip !== undefined && { skip: values.skip }),
    });
    rows.push(row);
    console.log(JSON.stringify(row));
  }
} finally {
  if (values.scratch === undefined) await rm(scratch, { recursive: true, force: true });
}
const cell = (text: string | number): string => String(text).replaceAll('|', '\\|');
console.log('\n| project | entered by | lines | seconds | legacy | modern | what else |');
console.log('|---|---|---|---|---|---|---|');
for (const { project, entry, lines, seconds, wrapped, modern, besides } of rows) {
  console.log(
    `| ${[project, entry, lines, seconds.toFixed(0), wrapped, modern, besides.join('; ')].map(cell).join(' | ')} |`,
  );
}
process.exitCode = rows.length === 0 ? 2 : rows.every(({ asExpected }) => asExpected) ? 0 : 1;
