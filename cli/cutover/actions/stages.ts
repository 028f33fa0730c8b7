/** `set`, `ramp` and `unset`: change a route's flag, after a look at what is there, with a word in the audit log first. */
import { isStageOf, ROUTE_KEYS, STAGES, STEPS, VARIABLE_PREFIX, type RouteKey } from '../../../src/cutover/stage.ts';
import { Census, read, Status } from '../answers.ts';
import { needCertificate, type CertificateFlags } from '../certificate.ts';
import { cohortText, includes, type Cohort } from '../cohort.ts';
import { whyOf, type ChangeFlags, type Context, type Done } from '../context.ts';
import {
  BUCKET_KEY,
  cohortsOf,
  foreignRules,
  percentOf,
  ramp,
  rampOf,
  setCohort,
  setStage,
  unsetCohort,
  type Flag,
  type FlagState,
} from '../flag.ts';
import { couldNot, refused } from '../stop.ts';

export interface StageFlags extends ChangeFlags, CertificateFlags {
  readonly cohort: Cohort | undefined;
  /** Also a cohort that the census has never seen. */
  readonly unseen?: boolean;
  /** False to change a flag where the operator's API does not answer. */
  readonly audit: boolean;
}

interface Change {
  readonly action: 'flag_set' | 'flag_ramp' | 'flag_unset';
  readonly route: RouteKey;
  readonly to: string;
  readonly flags: StageFlags;
  readonly plan: (flag: Flag) => FlagState;
  readonly detail?: Readonly<Record<string, string | number>>;
}

export function readRoute(text: string): RouteKey {
  const route = ROUTE_KEYS.find((key) => key === text);
  if (route !== undefined) return route;
  throw couldNot(
    `There is no route "${text}"`,
    `Use one of ${ROUTE_KEYS.join(', ')} (/legacy/mcp, /legacy/sse, /mcp).`,
  );
}

function readStage(route: RouteKey, text: string): string {
  if (isStageOf(route, text)) return text;
  throw couldNot(`The route ${route} has no stage "${text}"`, `Use one of ${STAGES[route].join(', ')}.`);
}

export function readPercent(text: string): number {
  const percent = /^\d{1,3}(\.\d{1,2})?$/.test(text) ? Number(text) : Number.NaN;
  if (percent >= 0 && percent <= 100) return percent;
  throw couldNot(`"${text}" is no percentage`, 'Use a number from 0 to 100, with up to two decimals.');
}

export const set = (context: Context, routeText: string, stageText: string, flags: StageFlags): Promise<Done> => {
  const route = readRoute(routeText);
  const stage = readStage(route, stageText);
  const { cohort } = flags;
  onlyWhole(route, cohort);
  return change(context, {
    action: 'flag_set',
    route,
    to: stage,
    flags,
    plan: (flag) => (cohort === undefined ? setStage(flag, stage) : setCohort(flag, cohort, stage)),
  });
};

export const rampTo = (
  context: Context,
  routeText: string,
  stageText: string,
  percentText: string,
  { by = BUCKET_KEY, ...flags }: StageFlags & { readonly by?: string },
): Promise<Done> => {
  const route = readRoute(routeText);
  const stage = readStage(route, stageText);
  const percent = readPercent(percentText);
  const { cohort } = flags;
  if (route === 'sse') throw couldNot('/legacy/sse is served or gone as a whole', 'Use set sse gone.');
  if (!/^[A-Za-z][A-Za-z0-9_.]{0,63}$/.test(by))
    throw couldNot(`--by "${by}" is no attribute`, `Use ${BUCKET_KEY}, clientName or subject.`);
  return change(context, {
    action: 'flag_ramp',
    route,
    to: stage,
    flags,
    detail: { percent, by },
    plan: (flag) =>
      cohort === undefined ? ramp(flag, { stage, percent, by }) : setCohort(flag, cohort, stage, { percent, by }),
  });
};

export const unset = (context: Context, routeText: string, flags: StageFlags): Promise<Done> => {
  const route = readRoute(routeText);
  const { cohort } = flags;
  if (cohort === undefined) throw couldNot('unset needs a cohort', 'Name it with --client, --era or --subject.');
  return change(context, {
    action: 'flag_unset',
    route,
    to: 'the stage of everybody',
    flags: { ...flags, unseen: true },
    plan: (flag) => unsetCohort(flag, cohort),
  });
};

/** Its connections cannot be told apart before they are served. */
function onlyWhole(route: RouteKey, cohort: Cohort | undefined): void {
  if (route === 'sse' && cohort !== undefined)
    throw couldNot('/legacy/sse is served or gone as a whole', 'Leave the cohort out.');
}

async function change(context: Context, { action, route, to, flags, plan, detail }: Change): Promise<Done> {
  const why = whyOf(flags);
  const { cohort, dryRun = false } = flags;
  await needCertificate(flags, { route, stage: to, url: context.url, key: context.parityKey });
  const status = flags.audit ? await needFlags(context) : undefined;
  if (flags.audit && cohort !== undefined && flags.unseen !== true) await needSeen(context, cohort);
  const store = await context.store();
  const before = await store.read(route);
  const planned = plan(before);
  const notes = [...notesOn(before, planned, { route, cohort }), ...goneNote(before, planned, route, status)];
  if (!dryRun) {
    // Before the change: one that is in the log and failed is a smaller evil than one that nobody knows of.
    const whose = cohort === undefined ? 'everybody' : cohortText(cohort);
    const entry = { action, detail: { route, flag: before.key, from: before.default_variation, to, whose, ...detail } };
    if (flags.audit) await context.api.post('/audit', { ...entry, who: context.who, why });
    await store.write(route, planned);
  }
  const unchanged = JSON.stringify(stateOf(before)) === JSON.stringify(planned);
  return {
    exitCode: 0,
    json: { route, dryRun, changed: !dryRun && !unchanged, before: stateOf(before), after: planned, notes },
    text: [
      `${before.key} in ${store.where}`,
      `  was     ${sentence(before)}`,
      `  ${dryRun ? 'would be' : 'is now'}  ${sentence(planned)}`,
      ...notes.map((note) => `  note    ${note}`),
      ...(dryRun
        ? ['Nothing was changed.']
        : [
            planned.default_variation === 'gone'
              ? 'It reaches everybody within seconds.'
              : 'It reaches every new session within seconds. Sessions that are open stay where they are.',
          ]),
    ].join('\n'),
  };
}

const stateOf = ({ default_variation, rules }: FlagState): FlagState => ({ default_variation, rules });

async function needFlags({ api }: Context): Promise<Status> {
  const status = read(Status, await api.get('/status'));
  if (status.source === 'flagship') return status;
  const names = ROUTE_KEYS.map((route) => `${VARIABLE_PREFIX[route]}_STAGE`).join(', ');
  throw couldNot(
    'This Worker reads its stages from its variables, not from flags',
    `Change ${names} (and _NEXT, _PERCENT, _CLIENTS) under [vars] in wrangler.toml and deploy, or bind a Flagship app as FLAGS.`,
  );
}

async function needSeen({ api }: Context, cohort: Cohort): Promise<void> {
  const { clients } = read(Census, await api.get('/census'));
  if (clients.some((row) => includes(cohort, row))) return;
  const names = [...new Set(clients.map(({ name, version }) => (version === '' ? name : `${name}/${version}`)))].sort();
  throw refused(
    `The census has never seen ${cohortText(cohort)}`,
    `It knows ${names.slice(0, 10).join(', ') || 'nobody'}${names.length > 10 ? ', …' : ''}. To name it all the same, add --unseen.`,
  );
}

function notesOn(
  before: Flag,
  after: FlagState,
  { route, cohort }: { readonly route: RouteKey; readonly cohort: Cohort | undefined },
): readonly string[] {
  const [was, is] = [percentOf(before, cohort), percentOf(after, cohort)];
  const steps: readonly string[] = STEPS[route];
  const back = steps.indexOf(after.default_variation) < steps.indexOf(before.default_variation);
  const cohorts = cohortsOf(after).filter(({ stage }) => stage !== after.default_variation);
  return [
    ...(was !== undefined && is !== undefined && is < was
      ? [`lowering from ${was} % to ${is} % moves new sessions back`]
      : []),
    ...(back ? [`from ${before.default_variation} to ${after.default_variation} is a step back`] : []),
    ...(cohort === undefined && cohorts.length > 0
      ? [
          `cohorts keep a stage of their own: ${cohorts.map((one) => `${cohortText(one.cohort)} → ${one.stage}`).join('; ')}`,
        ]
      : []),
    ...(foreignRules(after).length > 0 ? [`${foreignRules(after).length} rules were made elsewhere and are kept`] : []),
    ...(before.enabled ? [] : ['the flag is disabled, so nobody is served by it: npx wrangler flagship flags enable']),
  ];
}

/** The one stage that takes something from open sessions. */
function goneNote(before: Flag, after: FlagState, route: RouteKey, status: Status | undefined): readonly string[] {
  if (route === 'mcp' || after.default_variation !== 'gone' || before.default_variation === 'gone') return [];
  const open = status?.totals?.openSessions;
  const count = open === undefined ? 'how many are open is not known' : `${open[route]} are open`;
  return [`gone answers 410 to everybody at once, and to sessions that are open: ${count}`];
}

function sentence(flag: FlagState): string {
  const ramp = rampOf(flag);
  const cohorts = cohortsOf(flag).map(
    ({ cohort, stage, percent }) => `${cohortText(cohort)} → ${stage}${percent < 100 ? ` (${percent} %)` : ''}`,
  );
  return [
    flag.default_variation,
    ...(ramp === undefined ? [] : [`${ramp.percent} % of new sessions ${ramp.stage}`]),
    ...cohorts,
  ].join('; ');
}
