/**
 * `npm run prove:own-agent`: the example servers as the agents package serves them, held against the same with one import
 * changed: wrapped, and hosted for 2025 and for 2026 clients, as each of two callers. Ends with 0 if nothing differs but
 * what docs/adopting.md names.
 *
 *   --cases N      generated calls of each tool (default 300)
 *   --only NAME    one of the examples
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { compareExample, EXAMPLES, type Compared } from './lib/own-agent-examples.ts';

const { values } = parseArgs({
  options: { cases: { type: 'string', default: '300' }, only: { type: 'string' } },
});
const folder = await mkdtemp(path.join(tmpdir(), 'own-agent-'));
const rows: Compared[] = [];
try {
  for (const example of EXAMPLES.filter(({ name }) => values.only === undefined || name === values.only)) {
    const compared = await compareExample(example, { cases: Number(values.cases), folder });
    for (const row of compared) {
      console.log(
        `${row.example} ${row.caller} ${row.lane}: exit ${row.code}, ${row.calls} calls, ${row.differences} differences`,
      );
      if (row.code !== 0) console.log(row.output);
    }
    rows.push(...compared);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = rows.length > 0 && rows.every(({ code, calls }) => code === 0 && calls > 0) ? 0 : 1;
