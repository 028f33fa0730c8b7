/**
 * `npm run parity:public`: installs public MCP servers into a scratch folder and compares them, at fixed versions.
 *
 *   --with self     each with itself: it has to be equal, or what varies is named as noise
 *   --with older    each with an older version of itself, and prints what differs
 *   --with faults   each with itself and one planted fault after the other, and says which are found; `--faults <number>`
 *                   takes the first kinds only
 *   --write <file>  writes the tables as Markdown; then `--with` may be left out, for all three
 *   --kept <dir>    keeps what each comparison found, and does not make a comparison again that is kept there: all of them
 *                   take most of an hour, and may be made in pieces
 *
 * Arguments: names to choose servers by; `--cases <number>`, `--seed <number>`, `--folder <dir>` to keep the installation.
 * Ends with 1 if a server is not equal to itself.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { PLANTED } from './lib/planted-faults.ts';
import { compare, install, type Compared, type Comparison } from './lib/public-compare.ts';
import { PUBLIC_SERVERS, type PublicServer } from './lib/public-servers.ts';
import { bestOf, callsIn, faultsTable, olderTable, selfTable, type Look } from './lib/public-tables.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    with: { type: 'string', multiple: true },
    write: { type: 'string' },
    cases: { type: 'string', default: '20' },
    faults: { type: 'string' },
    seed: { type: 'string', default: '7' },
    folder: { type: 'string' },
    kept: { type: 'string' },
  },
});
/** A run per server and fault: few calls of few tools. */
const CASES_OF_A_FAULT = 6;
const TOOLS_OF_A_FAULT = 2;

const ALL = ['self', 'older', 'faults'] as const;
const looks = values.with ?? (values.write === undefined ? ['self'] : ALL);
const unknown = looks.find((look) => !(ALL as readonly string[]).includes(look));
if (unknown !== undefined) throw new TypeError(`--with ${unknown} is none of ${ALL.join(', ')}.`);

const kinds = Object.keys(PLANTED).slice(0, Number(values.faults ?? Object.keys(PLANTED).length));

const chosen = PUBLIC_SERVERS.filter(
  ({ name }) => positionals.length === 0 || positionals.some((part) => name.includes(part)),
);
if (chosen.length === 0) throw new TypeError(`No server has a name with ${positionals.join(' or ')} in it.`);

const installed = path.resolve(values.folder ?? (await mkdtemp(path.join(tmpdir(), 'parity-servers-'))));
const kept = values.kept === undefined ? undefined : path.resolve(values.kept);
const [newest, older] = [path.join(installed, 'newest'), path.join(installed, 'older')];

/** One comparison of each server that has what it takes. */
async function each(
  of: readonly PublicServer[],
  made: (server: PublicServer) => Partial<Comparison>,
  what: string,
): Promise<Look[]> {
  const done: Look[] = [];
  for (const server of of) {
    const compared = await once(`${server.name}@${server.version} ${what}`, () =>
      compare({
        server,
        control: newest,
        candidate: newest,
        cases: Number(values.cases),
        seed: Number(values.seed),
        timeoutMs: 15_000,
        ...made(server),
      }),
    );
    done.push({ server, what, ...compared });
    const { outcome, aborted } = compared.report;
    console.log(`${server.name}, ${what}: ${aborted ?? outcome}, ${(compared.report.durationMs / 1000).toFixed(0)} s`);
  }
  return done;
}

/** What is kept of a comparison, or else the comparison. */
async function once(title: string, comparing: () => Promise<Compared>): Promise<Compared> {
  if (kept === undefined) return comparing();
  const file = path.join(kept, `${title.replaceAll(/[^\w.]+/g, '-')}.json`);
  const before = await readFile(file, 'utf8').catch(() => undefined);
  if (before !== undefined) return JSON.parse(before) as Compared;
  const compared = await comparing();
  await mkdir(kept, { recursive: true });
  await writeFile(file, JSON.stringify(compared, undefined, 1));
  return compared;
}

const tables: Partial<Record<(typeof ALL)[number], string>> = {};
try {
  await install(
    newest,
    chosen.map(({ name, version }) => `${name}@${version}`),
  );
  if (looks.includes('self')) {
    const found = await each(chosen, () => ({}), 'itself');
    tables.self = selfTable(found);
    if (found.some(({ report }) => report.outcome !== 'equal' || callsIn(report).succeeded === 0)) process.exitCode = 1;
  }
  if (looks.includes('older')) {
    const having = chosen.filter((server) => server.older !== undefined);
    // One after the other: two versions of one package do not fit into one folder.
    await install(
      older,
      having.map(({ name, older: version }) => `${name}@${version}`),
    );
    tables.older = olderTable(await each(having, () => ({ control: older }), 'an older version'));
  }
  if (looks.includes('faults')) {
    const quick = { cases: CASES_OF_A_FAULT, sequences: 0, timeoutMs: 4_000 };
    const found: Look[] = [];
    for (const server of chosen) {
      const [own] = await each([server], () => quick, 'itself, quickly');
      const only = own === undefined ? [] : bestOf(own.report, TOOLS_OF_A_FAULT);
      for (const fault of kinds) found.push(...(await each([server], () => ({ ...quick, fault, only }), fault)));
    }
    tables.faults = faultsTable(found);
  }
  for (const table of Object.values(tables)) console.log(`\n${table}`);
  if (values.write !== undefined)
    await writeFile(path.resolve(values.write), `${Object.values(tables).join('\n\n')}\n`);
} finally {
  if (values.folder === undefined) await rm(installed, { recursive: true, force: true });
}
