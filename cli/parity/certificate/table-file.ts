/** The table of verdicts as a file, one JSON object a line: written while a run goes on, and counted again later. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import * as v from 'valibot';
import type { Certificate } from '../../../src/parity/certificate.ts';
import { VerdictLine, VerdictTable, type ToolCounts } from '../../../src/parity/verdict-table.ts';
import { openLines } from '../report/files.ts';
import type { Judged } from '../run/compare-case.ts';
import { fingerprint } from '../run/tally.ts';

/** `parity.json` has its table in `parity.table.ndjson`. */
export const tableFileOf = (certificate: string): string => `${certificate.replace(/\.json$/, '')}.table.ndjson`;

/** What a verdict is in the table. */
export function verdictLine({ case: { id, group, call }, candidate, judgement, answers }: Judged): VerdictLine {
  return {
    id,
    group,
    tool: call.method === 'tools/call' && call.params?.['name'] === group,
    input: fingerprint(JSON.stringify(call.params ?? {})),
    candidate,
    verdict: judgement.verdict,
    control: answers.control ?? null,
    answer: answers.candidate ?? null,
  };
}

export interface TableWriter {
  add(line: VerdictLine): Promise<void>;
  end(): Promise<{
    readonly table: Certificate['table'];
    readonly counts: (candidate: string) => readonly ToolCounts[];
  }>;
}

export function writeTable(file: string): TableWriter {
  const lines = openLines(file);
  const hash = createHash('sha256');
  const counted = new VerdictTable();
  let count = 0;
  return {
    add: async (line) => {
      const text = JSON.stringify(line);
      hash.update(`${text}\n`);
      counted.add(line);
      count += 1;
      await lines.write(text);
    },
    end: async () => {
      await lines.end();
      const table = { file: path.basename(file), lines: count, sha256: hash.digest('hex') };
      return { table, counts: (candidate) => counted.tools(candidate) };
    },
  };
}

/** Counts again what a certificate says of its candidate; undefined where the table is not there. */
export async function recount(
  file: string,
  { table, candidate }: Certificate,
): Promise<readonly ToolCounts[] | 'other_file' | undefined> {
  if ((await stat(file).catch(() => undefined))?.isFile() !== true) return undefined;
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  if (hash.digest('hex') !== table.sha256) return 'other_file';
  const counted = new VerdictTable();
  for await (const text of createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity })) {
    const line = v.safeParse(v.pipe(v.string(), v.parseJson(), VerdictLine), text);
    if (!line.success) return 'other_file';
    counted.add(line.output);
  }
  return counted.tools(candidate.name);
}
