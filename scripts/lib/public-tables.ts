/** What `npm run parity:public` has found, as tables in Markdown. Pure. */
import type { RunReport } from '../../cli/parity/run/report.ts';
import type { PublicServer } from './public-servers.ts';

/** One comparison, and what it was of. */
export interface Look {
  readonly server: PublicServer;
  readonly what: string;
  readonly report: RunReport;
  /** How many answers a planted fault has changed. */
  readonly planted: number;
}

const percent = (part: number, whole: number): string => `${(whole === 0 ? 0 : (part / whole) * 100).toFixed(0)} %`;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const inCode = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

interface Calls {
  readonly tools: number;
  readonly made: number;
  readonly succeeded: number;
  readonly never: readonly string[];
}

/** Calls of tools, and how many of them the control answered with a result. */
export function callsIn({ groups }: RunReport): Calls {
  const tools = groups.filter(({ tool }) => tool);
  const resultsOf = ({ answers }: (typeof tools)[number]): number => answers['control']?.result ?? 0;
  return {
    tools: tools.length,
    made: sum(tools.map(({ calls }) => calls)),
    succeeded: sum(tools.map(resultsOf)),
    never: tools.filter((tool) => resultsOf(tool) === 0).map(({ group }) => group),
  };
}

/** The tools of a server that succeed most often: a fault in a tool that never does cannot be seen. */
export const bestOf = ({ groups }: RunReport, most: number): readonly string[] =>
  groups
    .filter(({ tool }) => tool)
    .toSorted((one, other) => (other.answers['control']?.result ?? 0) - (one.answers['control']?.result ?? 0))
    .slice(0, most)
    .map(({ group }) => group);

export function selfTable(looks: readonly Look[]): string {
  const all = looks.map(({ server, report }) => ({ server, report, calls: callsIn(report) }));
  const made = sum(all.map(({ calls }) => calls.made));
  const succeeded = sum(all.map(({ calls }) => calls.succeeded));
  return table(
    ['server', 'tools', 'calls', 'succeed', 'tools that never do', 'with itself', 'noise named'],
    [
      ...all.map(({ server, report, calls }) => [
        `\`${server.name}\` ${server.version}`,
        calls.tools,
        calls.made,
        percent(calls.succeeded, calls.made),
        calls.never.length,
        report.outcome,
        report.noisy.length,
      ]),
      [
        'all',
        sum(all.map(({ calls }) => calls.tools)),
        made,
        percent(succeeded, made),
        sum(all.map(({ calls }) => calls.never.length)),
        '',
        '',
      ],
    ],
  );
}

/** How many lists and tools of a server are named; a table is read at a glance. */
const SHOWN = 6;

export function olderTable(looks: readonly Look[]): string {
  return table(
    ['server', 'from', 'to', 'outcome', 'listing', 'calls that differ', 'where'],
    looks.map(({ server, report }) => {
      const listed = report.surface.filter(({ fails }) => fails);
      const where = [...new Set([...listed.map((one) => one.where), ...report.failures.map(({ group }) => group)])];
      return [
        `\`${server.name}\``,
        server.older ?? '',
        server.version,
        report.aborted ?? report.outcome,
        listed.length,
        report.failures.length + report.moreFailures,
        `${inCode(where.slice(0, SHOWN))}${where.length > SHOWN ? ` and ${where.length - SHOWN} more` : ''}`,
      ];
    }),
  );
}

/** Found: the run says that the servers differ. Not planted: the server has nothing that the fault could change. */
export function faultsTable(looks: readonly Look[]): string {
  const servers = [...new Set(looks.map(({ server }) => server))];
  const planted = looks.filter((look) => look.planted > 0);
  const isFound = ({ report }: Look): boolean => report.outcome === 'different';
  const rows = servers.map((server) => {
    const own = planted.filter((look) => look.server === server);
    const missed = own.filter((look) => !isFound(look)).map(({ what }) => what);
    return [`\`${server.name}\``, own.length, own.filter(isFound).length, missed.join(', ')];
  });
  return table(
    ['server', 'planted', 'found', 'not found'],
    [...rows, ['all', planted.length, planted.filter(isFound).length, '']],
  );
}
