/** Imported by every process of a run: says at the end how much memory it took at most, in bytes, on standard error. */
import process from 'node:process';

process.once('exit', () => {
  process.stderr.write(`maxRSS ${process.resourceUsage().maxRSS * 1024}\n`);
});
