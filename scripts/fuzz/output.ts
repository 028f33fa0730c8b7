/** What a server may print while it is attacked: its own lines of JSON, and what the local tool says about requests. Pure. */
import * as v from 'valibot';

const OurLine = v.pipe(v.string(), v.parseJson(), v.object({ level: v.picklist(['info', 'warn', 'error']) }));

/**
 * Requests, the reload after an edit, the runtime's remark on headers that are not ASCII, and the local tool's own tracing
 * that gave a request up. A stack is quiet because the line before it is not.
 */
const QUIET = [
  /^\[wrangler:info\]/,
  /^⎔/,
  /^A header value for "[a-z-]+" contains non-ASCII characters/,
  /^exception = workerd\/io\/trace-stream\.c\+\+:\d+: disconnected: /,
  /^stack: \/\S+workerd@/,
];

/** Lines of neither kind: an uncaught error, a crash, or something that a package printed by itself. */
export function wrongLines(output: string): string[] {
  const lines = output.split('\n');
  const ready = lines.findIndex((line) => line.includes('Ready on'));
  return lines
    .slice(ready + 1)
    .map((line) => line.replace(/^\s*(✘ \[ERROR\]|▲ \[WARNING\])\s*/, '').trim())
    .filter((line) => line !== '' && !QUIET.some((quiet) => quiet.test(line)) && !v.safeParse(OurLine, line).success);
}

/** True where the local tool replaced the server while it ran: what was under way then was lost to that, not to a request. */
export function wasReloaded(output: string): boolean {
  const ready = output.indexOf('Ready on');
  return ready >= 0 && output.slice(ready).includes('Reloading local server');
}
