/** `status`: where the routes stand. */
import { CLAIM_MS } from '../../../src/cutover/flag-record.ts';
import type { Status } from '../answers.ts';
import type { Context, Done } from '../context.ts';
import { cohortRuleText, cohortsOf, rampOf, type Flag } from '../flag.ts';
import { Stop } from '../stop.ts';
import { byText, shown, table, when } from '../table.ts';
import { COMMANDS } from '../project.ts';

export async function status(context: Context): Promise<Done> {
  const told = await context.status();
  const flags = told.source === 'flagship' ? await readFlags(context) : undefined;
  const isOther =
    flags !== undefined && !(flags instanceof Stop) && told.routes.some((route) => isFrom(flags, route) === false);
  const rows = told.routes.map(({ route, path, flag, stage, reason }) => {
    const known = flags instanceof Stop ? undefined : flags?.get(flag);
    const shares =
      isOther || flags instanceof Stop
        ? ['not known', '']
        : known === undefined
          ? ['', '']
          : [rampText(known), cohortsText(known)];
    return [route, path, stage, reason, ...shares];
  });
  const { brake, totals } = told;
  const lines = [
    `${shown(told.server.name)} ${shown(told.server.version)} at ${context.url}, stages from ${told.source === 'flagship' ? 'flags' : 'variables'}`,
    '',
    table(['route', 'path', 'stage', 'reason', 'new sessions', 'cohorts'], rows),
    '',
    ...told.routes.flatMap(troubleText),
    ...told.routes.flatMap((route) => claimText(route, context.now())),
    brakeText(brake),
    ...told.warnings.map((warning) => `Warning: ${shown(warning, 500)}`),
    ...(told.hasLegacy ? [] : ['The legacy half has been removed.']),
    ...(totals === null
      ? ['The census cannot be read.']
      : [
          `${totals.clients} clients known, ${totals.blockedClients} of them blocked`,
          `Legacy sessions: ${totals.openSessions.legacy} open, ${totals.openSessions.sse} open over SSE, ${totals.openSessions.drained} drained`,
          `Last call on the legacy lane: ${when(totals.lastLegacyCallAt)}`,
        ]),
    ...(flags instanceof Stop ? [`The flags themselves could not be read: ${flags.message}. ${flags.remedy}`] : []),
    ...(isOther ? [OTHER_STORE] : []),
  ];
  const shares =
    flags instanceof Stop || flags === undefined || isOther
      ? null
      : Object.fromEntries([...flags].map(([key, flag]) => [key, flagJson(flag)]));
  return { exitCode: 0, json: { ...told, flags: shares, isOtherStore: isOther }, text: lines.join('\n') };
}

const OTHER_STORE =
  'WARNING: the flags that were read are not the ones of this Worker, or were changed by other means. Name its folder with --persist-to, or its Flagship app with --app.';

const LONGEST_PROBLEM = 400;

type Route = Status['routes'][number];

/** Whether the Worker's flag is the one that was read here; undefined if that cannot be told. */
function isFrom(flags: ReadonlyMap<string, Flag>, { flag, reason, stage, record }: Route): boolean | undefined {
  const read = flags.get(flag);
  const position = record?.position;
  if (reason === 'flag_unreadable') return undefined;
  if (read === undefined) return reason === 'flag_missing';
  // What these commands wrote last is known at once; what the Worker reads, after some seconds.
  if (position !== undefined) {
    const ramp = rampOf(read);
    const isSame = position.ramp?.stage === ramp?.stage && position.ramp?.percent === ramp?.percent;
    return position.stage === read.default_variation && isSame;
  }
  return reason === 'flag' && read.default_variation === stage;
}

/** What holds while a flag cannot be read. One that was never made is told by its reason, and holds nothing back. */
function troubleText({ path, stage, reason, trouble }: Route): readonly string[] {
  if (trouble === undefined) return [];
  const since = `since ${when(trouble.since)} at the latest`;
  return reason === 'flag_missing'
    ? [
        `${path}: ${shown(trouble.problem, LONGEST_PROBLEM)} The route does what it does without flags: ${stage}. Make it: ${COMMANDS.flags} init`,
      ]
    : [
        `${path}: ${shown(trouble.problem, LONGEST_PROBLEM)} (${since}) Meanwhile the last good stage holds: ${stage}, and each client known to an isolate stays where it was.`,
      ];
}

/** A claim that nobody ended runs out by itself. */
function claimText({ path, record }: Route, now: number): readonly string[] {
  const claim = record?.claim;
  if (claim === undefined || now - claim.at >= CLAIM_MS) return [];
  return [`${path}: ${byText(claim)} is changing its flag since ${when(claim.at)}`];
}

/** The stages are known without: they were evaluated by the Worker. */
async function readFlags(context: Context): Promise<ReadonlyMap<string, Flag> | Stop> {
  try {
    return await (await context.store()).all();
  } catch (cause) {
    if (cause instanceof Stop) return cause;
    throw cause;
  }
}

const flagJson = (flag: Flag) => ({
  enabled: flag.enabled,
  stage: flag.default_variation,
  ramp: rampOf(flag) ?? null,
  cohorts: cohortsOf(flag),
});

function rampText(flag: Flag): string {
  const ramp = rampOf(flag);
  return ramp === undefined ? '' : `${ramp.percent} % ${ramp.stage}`;
}

const cohortsText = (flag: Flag): string => cohortsOf(flag).map(cohortRuleText).join('; ');

export function brakeText(brake: Status['brake']): string {
  if (brake === null) return 'Brake: cannot be read';
  if (!brake.on) return 'Brake: off';
  const by = (one: Omit<typeof brake, 'on' | 'again'>): string =>
    `${when(one.at)}, by ${byText(one)}: ${one.why === undefined ? 'no reason was given' : shown(one.why)}`;
  return [`Brake: ON since ${by(brake)}`, ...brake.again.map((one) => `  again ${by(one)}`)].join('\n');
}
