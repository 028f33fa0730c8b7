/** docs/clients.md, as the results have it. */
import { CHECKS, type Cell, type Check } from './checks.ts';
import { CLIENTS, ROUTES } from './packages.ts';
import type { Tried } from './run.ts';

/** The last check tells the clients apart, and says nothing about the server. */
const COLUMNS = CHECKS.filter((check) => check !== 'session ended');
/** Where a session ends for good: on `/mcp` the compat lane goes on without one. */
const ENDING: ReadonlySet<string> = new Set(['/legacy/mcp at legacy', '/legacy/sse']);
const MEANS: Readonly<Record<(typeof COLUMNS)[number], string>> = {
  connect: 'the client connects, with what it does by default',
  list: 'it lists the four tools of the server that it is tried against',
  call: 'a call is answered',
  fail: 'a failing tool and an unknown one: the text of the failure reaches the caller, as a result or an exception',
  count: 'a counter counts on, in the session or by the handle that the answer gives',
  ask: 'a tool asks the user, and goes on with the answer',
  'come back': 'the client is closed, connects again, and goes on counting with the handle that it had',
};

export function clientsPage(results: readonly Tried[]): string {
  return `${[
    '# Clients we tried',
    INTRODUCTION,
    `| check | passes if |\n|---|---|\n${COLUMNS.map((check) => `| ${check} | ${MEANS[check]} |`).join('\n')}`,
    '## What each does by default',
    table(
      [
        'client',
        'packages',
        'speaks on `/mcp`',
        'can be asked',
        'ends its session',
        'opens a stream',
        'if its session has ended',
      ],
      CLIENTS.map((client) => habits(client.name, results)),
    ),
    HABITS,
    '## Each on each route',
    table(
      ['client', 'route', 'lane', ...COLUMNS],
      CLIENTS.flatMap(({ name }) => outcomes(name, results)),
    ),
    NOTES,
  ].join('\n\n')}\n`;
}

const INTRODUCTION = `Client packages as they come from the npm registry, each in a process of its own, against a real local Worker, on every
route at every stage that changes who answers. \`npm run prove:clients -- --write\` installs them into a folder outside of
this project, tries them, and writes this page from what came (\`test/clients/results.json\`). Those that this project
depends on are tried in \`npm test\` too.`;

const HABITS = `"Ends its session" means a \`DELETE\` on being closed: such a client comes back in a new session, and only a handle brings it
to the state of the old one. A client that opens a stream to listen needs a proxy that lets it stay open. "If its session
has ended": whether a call after the end of a session on the legacy lane is answered anyhow, in a new session, or whether
the program that uses the client has to connect again.`;

const NOTES = `The compat lane has no session in which it could ask: the tool's answer tells the model which connection can carry a
question, and \`KEEP_SESSIONS=on\` gives such clients a session on the legacy lane ([runbook.md](runbook.md)). On the modern
lane nobody has a session, so a counter goes on by its handle only ([state.md](state.md)).`;

function habits(name: string, results: readonly Tried[]): string[] {
  const client = CLIENTS.find((each) => each.name === name);
  const onMcp = of(name, results).find(({ route }) => route === '/mcp at stateless');
  const tried = of(name, results).filter(({ lanes }) => lanes.length > 0);
  const ended = tried.find(({ route }) => ENDING.has(route))?.cells['session ended'];
  return [
    name,
    (client?.install ?? []).map((each) => `\`${each}\``).join(', '),
    onMcp === undefined ? '– (HTTP+SSE only)' : (onMcp.versions[0] ?? 'a 2025 version, unnamed'),
    client?.asks === true ? 'yes' : 'no',
    tried.some(({ deletes }) => deletes) ? 'with `DELETE`' : 'no',
    tried.some(({ route, listens }) => listens && !route.includes('sse'))
      ? 'yes'
      : client?.transports.includes('http')
        ? 'no'
        : 'yes',
    ended === undefined ? 'has none' : ended.is === 'pass' ? 'goes on in a new one' : 'has to be connected again',
  ];
}

/** Routes that came to the same share a row. */
function outcomes(name: string, results: readonly Tried[]): string[][] {
  const rows = new Map<string, { routes: string[]; rest: string[] }>();
  for (const { route, lanes, cells } of of(name, results)) {
    const rest = [lanes[0] ?? '–', ...COLUMNS.map((check) => shown(check, cells[check]))];
    const key = JSON.stringify(rest);
    const row = rows.get(key) ?? { routes: [], rest };
    row.routes.push(route);
    rows.set(key, row);
  }
  return [...rows.values()].map(({ routes, rest }) => [name, routes.map((each) => `\`${each}\``).join(', '), ...rest]);
}

function shown(check: Check, { is, says = '' }: Cell): string {
  if (is === 'pass') return check === 'count' ? says : 'yes';
  return is === 'not' ? `no: ${says}` : `**fails**: ${says}`;
}

const of = (name: string, results: readonly Tried[]): readonly Tried[] =>
  ROUTES.flatMap((route) => results.filter((tried) => tried.client === name && tried.route === route.name));

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map(
      (cells) => `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`).replaceAll(/\s+/g, ' ')).join(' | ')} |`,
    )
    .join('\n');
