/** `status` and `census`: where the routes stand, and who is where. */
import { Census, read, Status } from '../answers.ts';
import { cohortText } from '../cohort.ts';
import type { Context, Done } from '../context.ts';
import { cohortsOf, rampOf, type Flag } from '../flag.ts';
import { Stop } from '../stop.ts';
import { shown, table, when } from '../table.ts';

export async function status(context: Context): Promise<Done> {
  const told = read(Status, await context.api.get('/status'));
  const flags = told.source === 'flagship' ? await readFlags(context) : undefined;
  const rows = told.routes.map(({ route, path, flag, stage, reason }) => {
    const known = flags instanceof Stop ? undefined : flags?.get(flag);
    return [route, path, stage, reason, ...(known === undefined ? ['', ''] : [rampText(known), cohortsText(known)])];
  });
  const { brake, totals } = told;
  const lines = [
    `${shown(told.server.name)} ${shown(told.server.version)} at ${context.url}, stages from ${told.source === 'flagship' ? 'flags' : 'variables'}`,
    '',
    table(['route', 'path', 'stage', 'reason', 'new sessions', 'cohorts'], rows),
    '',
    brakeText(brake),
    ...(told.hasLegacy ? [] : ['The legacy half has been removed.']),
    ...(totals === null
      ? ['The census cannot be read.']
      : [
          `${totals.clients} clients known, ${totals.blockedClients} of them blocked`,
          `Legacy sessions: ${totals.openSessions.legacy} open, ${totals.openSessions.sse} open over SSE, ${totals.openSessions.drained} drained`,
          `Last call on the legacy lane: ${when(totals.lastLegacyCallAt)}`,
        ]),
    ...(flags instanceof Stop ? [`The flags themselves could not be read: ${flags.message}. ${flags.remedy}`] : []),
  ];
  const shares =
    flags instanceof Stop || flags === undefined
      ? null
      : Object.fromEntries([...flags].map(([key, flag]) => [key, flagJson(flag)]));
  return { exitCode: 0, json: { ...told, flags: shares }, text: lines.join('\n') };
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

const cohortsText = (flag: Flag): string =>
  cohortsOf(flag)
    .map(({ cohort, stage, percent }) => `${cohortText(cohort)} → ${stage}${percent < 100 ? ` (${percent} %)` : ''}`)
    .join('; ');

function brakeText(brake: Status['brake']): string {
  if (brake === null) return 'Brake: cannot be read';
  return brake.on ? `Brake: ON since ${when(brake.at)}, by ${shown(brake.who)}: ${shown(brake.why)}` : 'Brake: off';
}

export async function census({ api }: Context): Promise<Done> {
  const answer = await api.get('/census');
  const { clients } = read(Census, answer);
  const rows = clients.map(({ name, version, era, lanes, openSessions, lastSeenAt, verdict }) => [
    version === '' ? name : `${name}/${version}`,
    era,
    lanes.map(({ route, lane, calls }) => `${route} ${lane} ${calls}`).join(', '),
    String(openSessions),
    when(lastSeenAt),
    verdict === 'ready' ? 'ready' : `blocked by ${verdict.blockedBy.join(', ')}`,
  ]);
  const why = new Map(
    clients.flatMap(({ uses }) => uses.filter(({ blocks }) => blocks).map((use) => [use.use, use.why] as const)),
  );
  return {
    exitCode: 0,
    json: answer as object,
    text:
      rows.length === 0
        ? 'The census has seen no client yet.'
        : [
            table(['client', 'era', 'calls by route and lane', 'open', 'last seen', 'verdict'], rows),
            ...[...why].map(([use, text]) => `${use}: ${text}`),
          ].join('\n'),
  };
}
