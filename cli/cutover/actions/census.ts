/** `census` and `census forget`: which clients are on which lane, and removing rows that stand for no real client. */
import { Census, Forgotten, read } from '../answers.ts';
import { readClient } from '../cohort.ts';
import { whyOf, type ChangeFlags, type Context, type Done } from '../context.ts';
import { couldNot } from '../stop.ts';
import { shown, table, when } from '../table.ts';

type Client = Census['clients'][number];

/** Clients with one call are most often nobody: a scanner, a try. A few of them say what kind. */
const MOST_ONCE = 10;
const MOST_REASONS = 3;

export async function census({ api }: Context): Promise<Done> {
  const answer = await api.get('/census');
  const { clients, unlisted } = read(Census, answer);
  const passing = clients.filter((client) => client.calls <= 1 && typeof client.verdict === 'string');
  const inShort = new Set(passing.slice(MOST_ONCE));
  const rows = clients.filter((client) => !inShort.has(client));
  const why = new Map(
    clients.flatMap(({ uses }) => uses.filter(({ blocks }) => blocks).map((use) => [use.use, use.why] as const)),
  );
  const unproven = rows.some(({ verdict }) => verdict === 'unproven');
  return {
    exitCode: 0,
    json: answer as object,
    text:
      rows.length === 0
        ? 'The census has seen no client yet.'
        : [
            table(['client', 'era', 'calls by route and lane', 'open', 'last seen', 'verdict'], rows.map(rowOf)),
            ...shortOf(inShort.size, unlisted.clients),
            ...(unproven ? [UNPROVEN] : []),
            ...[...why].map(([use, text]) => `${use}: ${text}`),
          ].join('\n'),
  };
}

const UNPROVEN =
  'unproven: it was only refused, or only began something, or goes without a session where there has to be one.';

const rowOf = ({ name, version, era, lanes, openSessions, lastSeenAt, verdict }: Client): readonly string[] => [
  version === '' ? name : `${name}/${version}`,
  era,
  lanes.map(callsText).join(', '),
  String(openSessions),
  when(lastSeenAt),
  typeof verdict === 'string' ? verdict : `blocked by ${verdict.blockedBy.join(', ')}`,
];

/** What was refused is told with the reason. */
function callsText({ route, lane, calls, reasons }: Client['lanes'][number]): string {
  if (lane !== 'none') return `${route} ${lane} ${calls}`;
  const most = Object.entries(reasons)
    .toSorted(([, one], [, two]) => two - one)
    .slice(0, MOST_REASONS)
    .map(([reason]) => reason);
  return `${route} refused ${calls}${most.length === 0 ? '' : ` (${most.join(', ')})`}`;
}

function shortOf(once: number, unlisted: number): readonly string[] {
  if (once + unlisted === 0) return [];
  const parts = [
    ...(once > 0 ? [`${once} more clients with one call`] : []),
    ...(unlisted > 0 ? [`${unlisted} more that are not listed`] : []),
  ];
  return [`${parts.join(', ')}. Forget those with one call: npm run cutover -- census forget --once --why "…"`];
}

export interface ForgetFlags extends ChangeFlags {
  readonly client?: string;
  readonly once?: boolean;
  readonly atMost?: string;
}

export async function forget({ api, said }: Context, flags: ForgetFlags): Promise<Done> {
  const why = whyOf(flags);
  const dryRun = flags.dryRun === true;
  const forgotten = read(
    Forgotten,
    await api.post('/census/forget', { ...selectionOf(flags), dryRun, who: said, why }),
  );
  const { clients, calls, names } = forgotten;
  const named =
    names.length === 0 ? '' : `\n${names.map((name) => shown(name)).join(', ')}${clients > names.length ? ', …' : ''}`;
  return {
    exitCode: 0,
    json: forgotten,
    text: dryRun
      ? `${clients} clients with ${calls} calls would be forgotten. Nothing was changed.${named}`
      : `${clients} clients with ${calls} calls were forgotten.${named}`,
  };
}

function selectionOf({ client, once, atMost }: ForgetFlags): object {
  if (once === true && atMost !== undefined)
    throw couldNot('--once and --at-most exclude each other', 'Use --once for clients with one call.');
  if (client === undefined && once !== true && atMost === undefined)
    throw couldNot(
      'Say which clients',
      'Use --client <name[/version]>, in which * stands for any text, --once for those with one call, or both.',
    );
  if (atMost !== undefined && !/^[1-9]\d{0,8}$/.test(atMost))
    throw couldNot(`--at-most "${atMost}" is no whole number above 0`, 'Use for example --at-most 3.');
  const calls = once === true ? 1 : atMost === undefined ? undefined : Number(atMost);
  return {
    ...(client !== undefined && readClient(client)),
    ...(calls !== undefined && { atMostCalls: calls }),
  };
}
