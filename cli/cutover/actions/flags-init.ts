/**
 * `flags init`: makes the flags that are missing, each at what the Worker does at this moment, so that nobody moves: the
 * last good stage of a flag that was lost, the variables where those were the source, or what a route does without flags.
 */
import { isStageOf, ROUTE_KEYS, STAGES, USUAL_STAGE, type RouteKey } from '../../../src/cutover/stage.ts';
import type { Status } from '../answers.ts';
import { changing } from '../claim.ts';
import type { ChangeFlags, Context, Done } from '../context.ts';
import { BUCKET_KEY, ramp, setCohort, stateText, type Flag, type FlagState } from '../flag.ts';
import { otherStore, type FlagStore } from '../flag-store.ts';
import { couldNot } from '../stop.ts';
import { table } from '../table.ts';

export interface InitFlags extends ChangeFlags {
  /** False to make the flags where the operator's API does not answer. */
  readonly audit: boolean;
}

/** A flag in words, with its rules. */
const LONGEST_STATE = 400;

interface Made {
  readonly flag: string;
  readonly stage: string;
  readonly created: boolean;
  readonly text: string;
}

export async function initFlags(context: Context, flags: InitFlags): Promise<Done> {
  const { dryRun = false, why = 'flags init' } = flags;
  const status = flags.audit ? await context.status() : undefined;
  const store = await context.store();
  const known = await store.all();
  for (const route of ROUTE_KEYS) needVariations(store, route, known.get(store.keys[route]));
  const made: Made[] = [];
  for (const route of ROUTE_KEYS) {
    const key = store.keys[route];
    const flag = known.get(key);
    if (flag !== undefined) {
      const disabled = flag.enabled ? '' : ', disabled';
      made.push({
        flag: key,
        stage: flag.default_variation,
        created: false,
        text: `was there${disabled}: ${stateText(flag)}`,
      });
      continue;
    }
    const state = stateNow(store, route, status);
    if (!dryRun) await create({ context, status, store, route, state, why });
    made.push({
      flag: key,
      stage: state.default_variation,
      created: true,
      text: `${dryRun ? 'would be made' : 'made'}: ${stateText(state)}`,
    });
  }
  const isShare = status?.source === 'variables' && made.some(({ created, text }) => created && text.includes('%'));
  return {
    exitCode: 0,
    json: { where: store.where, dryRun, flags: made.map(({ flag, stage, created }) => ({ flag, stage, created })) },
    text: [
      `${store.where}\n`,
      table(
        ['flag', 'stage', ''],
        made.map(({ flag, stage, text }) => [flag, stage, text]),
        LONGEST_STATE,
      ),
      ...(status === undefined ? ['\nThe Worker was not asked: these are the stages of a Worker without flags.'] : []),
      ...(isShare ? ['\nThe percentage is that of the variables; which clients are drawn is not.'] : []),
    ].join('\n'),
  };
}

async function create({
  context,
  status,
  store,
  route,
  state,
  why,
}: {
  readonly context: Context;
  readonly status: Status | undefined;
  readonly store: FlagStore;
  readonly route: RouteKey;
  readonly state: FlagState;
  readonly why: string;
}): Promise<void> {
  await changing(context, route, status, async (making) => {
    const detail = {
      route,
      flag: store.keys[route],
      whose: 'everybody',
      to: state.default_variation,
      before: null,
      after: state,
    };
    await making.log('flag_init', detail, why);
    making.wrote(await store.create(route, state));
  });
}

/** What the Worker does now, as a flag says it. */
function stateNow(store: FlagStore, route: RouteKey, status: Status | undefined): FlagState {
  const now = status?.routes.find((one) => one.route === route);
  if (status === undefined || now === undefined) return { default_variation: USUAL_STAGE[route], rules: [] };
  if (status.source === 'flagship' && now.reason === 'flag') throw otherStore(store, now.flag);
  const plain: FlagState = { default_variation: now.stage, rules: [] };
  return status.source === 'variables' ? withVariables(route, plain, now.variables) : plain;
}

function withVariables(route: RouteKey, plain: FlagState, variables: Readonly<Record<string, string>>): FlagState {
  const valueOf = (suffix: string): string =>
    Object.entries(variables).find(([name]) => name.endsWith(`_${suffix}`))?.[1] ?? '';
  const next = valueOf('NEXT');
  const percent = Number(valueOf('PERCENT') || '0');
  if (!isStageOf(route, next) || next === plain.default_variation) return plain;
  const ramped = percent > 0 ? ramp(plain, { stage: next, percent, by: BUCKET_KEY }) : plain;
  const clients = valueOf('CLIENTS')
    .split(',')
    .map((name) => name.trim());
  return clients
    .filter((name) => name !== '')
    .reduce<FlagState>((state, client) => setCohort(state, { client }, next), ramped);
}

function needVariations(store: FlagStore, route: RouteKey, flag: Flag | undefined): void {
  const lacks = STAGES[route].filter((stage) => flag !== undefined && flag.variations[stage] !== stage);
  if (lacks.length === 0) return;
  throw couldNot(
    `The flag ${store.keys[route]} in ${store.where} lacks the variations ${lacks.join(', ')}`,
    `Add each: npx wrangler flagship flags update <app> ${store.keys[route]} ${lacks.map((stage) => `--set-variation ${stage}=${stage}`).join(' ')}`,
  );
}
