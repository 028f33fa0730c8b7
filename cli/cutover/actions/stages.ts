/** `set`, `ramp` and `unset`: change a route's flag, after a look at what is there, with a word in the audit log first. */
import { isStageOf, ROUTE_KEYS, STAGES, STEPS, VARIABLE_PREFIX, type RouteKey } from '../../../src/cutover/stage.ts';
import { Census, read, type Status } from '../answers.ts';
import { needCertificate, type CertificateFlags } from '../certificate.ts';
import { changing } from '../claim.ts';
import { cohortText, includes, type Cohort } from '../cohort.ts';
import { whyOf, type ChangeFlags, type Context, type Done } from '../context.ts';
import {
  BUCKET_KEY,
  cohortRuleText,
  cohortsOf,
  foreignRules,
  percentOf,
  ramp,
  setCohort,
  setStage,
  stateText,
  unsetCohort,
  type Flag,
  type FlagState,
} from '../flag.ts';
import { isEnd, openProblem, stepProblems, type Step } from '../steps.ts';
import { couldNot, refused, type Stop } from '../stop.ts';

export interface StageFlags extends ChangeFlags, CertificateFlags {
  readonly cohort: Cohort | undefined;
  /** Also a cohort that the census has never seen. */
  readonly unseen?: boolean;
  /** False to change a flag where the operator's API does not answer. */
  readonly audit: boolean;
  /** Why the order of the steps and their times need not be kept. */
  readonly early?: string;
  /** Also a stage that ends open sessions. */
  readonly evenIfOpen?: boolean;
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
  onlyWhole(route, stage, cohort);
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
  if (isEnd(stage)) throw notForSome(route, stage);
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

function onlyWhole(route: RouteKey, stage: string, cohort: Cohort | undefined): void {
  if (cohort === undefined) return;
  // Its connections cannot be told apart before they are served.
  if (route === 'sse') throw couldNot('/legacy/sse is served or gone as a whole', 'Leave the cohort out.');
  if (isEnd(stage)) throw notForSome(route, stage);
}

/** Only a session that begins is asked for by client, so the sessions of a share would go on, and begin no more. */
const notForSome = (route: RouteKey, stage: string): Stop =>
  refused(
    `${stage} is a stage of a whole route, and not for a share or for some clients`,
    `Use set ${route} ${stage}.`,
  );

async function change(context: Context, plan: Change): Promise<Done> {
  const { route, flags } = plan;
  const why = whyOf(flags);
  const { cohort, dryRun = false } = flags;
  await needCertificate(flags, { route, stage: plan.to, url: context.url, key: context.parityKey });
  const status = flags.audit ? await needFlags(context) : undefined;
  if (flags.audit && cohort !== undefined && flags.unseen !== true) await needSeen(context, cohort);
  const store = await context.store();
  return changing(context, route, dryRun ? undefined : status, async (making) => {
    const before = await store.read(route, status);
    const after = plan.plan(before);
    const step = { route, before, after, status, now: context.now() };
    needSteps(step, flags);
    if (!dryRun) {
      await making.log(plan.action, detailOf(plan, before, after), why);
      making.wrote(await store.write(route, after));
    }
    return changed(store.where, { before, after, notes: notesOn(step, cohort), route, dryRun });
  });
}

/** With all of the flag before and after, so that whoever reads the log can bring it back. */
function detailOf({ route, to, flags, detail }: Change, before: Flag, after: FlagState): object {
  const { cohort, early, evenIfOpen } = flags;
  return {
    route,
    flag: before.key,
    whose: cohort === undefined ? 'everybody' : cohortText(cohort),
    to,
    ...detail,
    before: stateOf(before),
    after: stateOf(after),
    ...(early !== undefined && { early }),
    ...(evenIfOpen === true && { evenIfOpen }),
  };
}

function changed(
  where: string,
  made: {
    readonly before: Flag;
    readonly after: FlagState;
    readonly notes: readonly string[];
    readonly route: RouteKey;
    readonly dryRun: boolean;
  },
): Done {
  const { before, after, notes, route, dryRun } = made;
  const unchanged = JSON.stringify(stateOf(before)) === JSON.stringify(stateOf(after));
  return {
    exitCode: 0,
    json: { route, dryRun, changed: !dryRun && !unchanged, before: stateOf(before), after: stateOf(after), notes },
    text: [
      `${before.key} in ${where}`,
      `  was     ${stateText(before)}`,
      `  ${dryRun ? 'would be' : 'is now'}  ${stateText(after)}`,
      ...notes.map((note) => `  note    ${note}`),
      ...(dryRun
        ? ['Nothing was changed.']
        : [
            isEnd(after.default_variation)
              ? 'It reaches everybody within seconds.'
              : 'It reaches every new session within seconds. Sessions that are open stay where they are.',
          ]),
    ].join('\n'),
  };
}

const stateOf = ({ default_variation, rules }: FlagState): FlagState => ({ default_variation, rules });

/** A dry run says the same as the change would. */
function needSteps(step: Step, { early, evenIfOpen }: StageFlags): void {
  if (early?.trim() === '') throw couldNot('--early is empty', 'Say why the steps need not be kept: --early "…".');
  const problems = early === undefined ? stepProblems(step) : [];
  if (problems.length > 0) {
    throw refused(
      `It is too early: ${problems.join('; ')}`,
      'Wait, or say why the steps need not be kept: --early "…". docs/runbook.md has them.',
    );
  }
  const open = evenIfOpen === true ? undefined : openProblem(step);
  if (open === undefined) return;
  const status = step.after.default_variation === 'gone' ? 410 : 404;
  throw refused(
    `${open}, and each of their calls would be answered ${status} at once`,
    'Drain them, or wait until they have ended. To end them all the same, say so: --even-if-open.',
  );
}

async function needFlags(context: Context): Promise<Status> {
  const status = await context.status();
  if (status.source === 'flagship') return status;
  const names = status.routes
    .map(({ route, variablePrefix = VARIABLE_PREFIX[route] }) => `${variablePrefix}_STAGE`)
    .join(', ');
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

function notesOn({ route, before, after, status }: Step, cohort: Cohort | undefined): readonly string[] {
  const [was, is] = [percentOf(before, cohort), percentOf(after, cohort) ?? 0];
  const steps: readonly string[] = STEPS[route];
  const from = before.default_variation;
  const to = after.default_variation;
  const cohorts = cohortsOf(after).filter(({ stage }) => stage !== to);
  const foreign = foreignRules(after).length;
  return [
    ...(was !== undefined && is < was && from === to
      ? [`lowering from ${was} % to ${is} % moves new sessions back`]
      : []),
    ...(steps.indexOf(to) < steps.indexOf(from) ? [`from ${from} to ${to} is a step back`] : []),
    ...(cohort === undefined && cohorts.length > 0
      ? [`cohorts keep a stage of their own: ${cohorts.map(cohortRuleText).join('; ')}`]
      : []),
    ...(foreign > 0 ? [`${foreign} rules were made elsewhere and are kept`] : []),
    ...(before.enabled ? [] : ['the flag is disabled, so nobody is served by it: npx wrangler flagship flags enable']),
    ...(isEnd(to) && from !== to
      ? [`${to} answers everybody at once, sessions that are open too: ${openText(status)}`]
      : []),
  ];
}

function openText(status: Status | undefined): string {
  const open = status?.totals?.openSessions;
  return open === undefined
    ? 'how many are open is not known'
    : `${open.legacy} are open on the legacy lane, ${open.drained} drained, ${open.sse} over SSE, ${open.compat} on compat`;
}
