/**
 * `npm run bench:cost`: what 1,000,000 calls cost on each lane, from docs/bench/usage.json (measured) and
 * docs/bench/prices.json (published). Change either and run it again.
 *
 *   --write   puts the table into docs/performance.md
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { PROJECT_ROOT } from '../scripts/lib/wrangler.ts';
import { costTable, Prices, Usage } from './lib/cost.ts';
import { between } from './lib/write.ts';
import * as v from 'valibot';

const read = async (file: string): Promise<unknown> =>
  JSON.parse(await readFile(path.join(PROJECT_ROOT, 'docs/bench', file), 'utf8')) as unknown;

const table = costTable(v.parse(Usage, await read('usage.json')), v.parse(Prices, await read('prices.json')));
console.log(table);
if (process.argv.includes('--write')) {
  const page = path.join(PROJECT_ROOT, 'docs/performance.md');
  await writeFile(page, between(await readFile(page, 'utf8'), 'cost', `\n${table}\n`));
}
