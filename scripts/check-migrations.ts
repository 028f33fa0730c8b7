/**
 * `node scripts/check-migrations.ts [file …]`: holds the history of Durable Object classes in wrangler configurations to
 * the rules of lib/migrations.ts, and to what was committed before. Exit code: 0 good, 1 a rule is
 * broken, 2 there was nothing to check.
 */
import path from 'node:path';
import process from 'node:process';
import { checkMigrations, type Checked } from './lib/check-migrations.ts';
import { PROJECT_ROOT } from './lib/wrangler.ts';

const files = process.argv.slice(2);
const checked = await Promise.all(
  (files.length === 0 ? ['wrangler.toml'] : files).map((file) => {
    const target = path.resolve(PROJECT_ROOT, file);
    const isOutside = path.relative(PROJECT_ROOT, target).startsWith('..');
    return isOutside
      ? checkMigrations(path.basename(target), path.dirname(target))
      : checkMigrations(file, PROJECT_ROOT);
  }),
);
for (const { problems } of checked) for (const problem of problems) console.error(problem);
const sum = (of: (one: Checked) => number): number => checked.reduce((total, one) => total + of(one), 0);
const [tags, bound, versions] = [sum((one) => one.tags), sum((one) => one.bound), sum((one) => one.versions)];
console.log(`${tags} tags, ${bound} bound classes, compared with ${versions} committed versions`);
const isEmpty = checked.some((one) => one.tags + one.bound + one.versions === 0);
process.exitCode = isEmpty ? 2 : checked.some(({ problems }) => problems.length > 0) ? 1 : 0;
