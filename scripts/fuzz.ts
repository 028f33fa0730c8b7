/**
 * `npm run fuzz`: hostile HTTP against both routes of a real local server, 50,000 requests unless told otherwise.
 * `npm run fuzz -- --seed 7 --requests 1000 --minutes 2`. Loopback only; exits with 1 where an answer breaks a rule.
 */
import process from 'node:process';
import { parseArgs } from 'node:util';
import { startDevServer } from './lib/dev-server.ts';
import { fuzz, FUZZ_VARS } from './fuzz/run.ts';

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: 'string' },
      requests: { type: 'string', default: '50000' },
      minutes: { type: 'string', default: '20' },
      parallel: { type: 'string', default: '16' },
    },
  });
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
  const requests = Number(values.requests);
  const [minutes, parallel] = [Number(values.minutes), Number(values.parallel)];
  if (![seed, requests, parallel].every(Number.isSafeInteger) || !(minutes > 0) || requests < 1 || parallel < 1) {
    console.error(
      '--seed, --requests and --parallel need whole numbers and --minutes a number, for example: npm run fuzz -- --seed 7',
    );
    return 2;
  }

  await using server = await startDevServer({ config: 'test/fuzz/target.toml', vars: FUZZ_VARS });
  console.log(`seed ${seed}, ${requests} requests, ${parallel} at a time`);
  const report = await fuzz({
    url: server.url,
    seed,
    requests,
    parallel,
    limitMs: minutes * 60_000,
    output: () => server.output(),
    onProgress: (sent) => {
      if (sent % 5_000 === 0) console.log(`${sent} sent`);
    },
  });
  const statuses = Object.entries(report.statuses)
    .toSorted(([, a], [, b]) => b - a)
    .map(([status, count]) => `${status}: ${count}`);
  console.log(
    `${report.sent} requests in ${(report.ms / 1000).toFixed(0)} s, slowest ${report.slowestMs.toFixed(0)} ms`,
  );
  console.log(`statuses ${statuses.join(', ')}`);
  for (const failure of report.failures) console.error(`WRONG: ${failure}`);
  console.log(`${report.failures.length} wrong; again with: npm run fuzz -- --seed ${seed} --requests ${requests}`);
  if (report.sent < requests && report.failures.length === 0) {
    console.error(`Only ${report.sent} of ${requests} were sent in ${minutes} minutes; give more time with --minutes.`);
    return 1;
  }
  return report.failures.length === 0 ? 0 : 1;
}
