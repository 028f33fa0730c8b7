/** `brake`, `release` and `audit`: new sessions back on legacy at once, and who did what. */
import * as v from 'valibot';
import { Audit, BrakeAnswer, read } from '../answers.ts';
import { whyOf, type ChangeFlags, type Context, type Done } from '../context.ts';
import { stateText, type FlagState } from '../flag.ts';
import { isEnd } from '../steps.ts';
import { refused } from '../stop.ts';
import { byText, table, when } from '../table.ts';
import { brakeText } from './status.ts';
import { COMMANDS } from '../project.ts';

/** An emergency does not wait for words: the brake is on first, and the reason is asked for afterwards. */
export async function setBrake(context: Context, on: boolean, flags: ChangeFlags): Promise<Done> {
  const { api, said, ask } = context;
  const given = flags.why === undefined || flags.why.trim() === '' ? undefined : flags.why;
  const why = on ? given : whyOf(flags);
  if (flags.dryRun === true) return wouldBe(context, on);
  const post = async (reason: string | undefined) =>
    read(BrakeAnswer, await api.post('/brake', { on, who: said, ...(reason !== undefined && { why: reason }) })).brake;
  let brake = await post(why);
  const later = brake.on && why === undefined ? (await ask?.('The brake is on. Why? '))?.trim() : undefined;
  if (later !== undefined && later !== '') brake = await post(later);
  return {
    exitCode: 0,
    json: { dryRun: false, brake },
    text: brake.on
      ? [
          'The brake is on. Within seconds new sessions of 2025 clients begin on the legacy lane, whatever the flags say.',
          ...(await beyondTheBrake(context)),
          ...(brake.again.length > 0 ? [brakeText(brake)] : []),
          ...(why === undefined && !later
            ? [`Say why, for whoever comes next: ${COMMANDS.cutover} brake --why "…"`]
            : []),
        ].join('\n')
      : 'The brake is off. New sessions follow the flags again.',
  };
}

async function wouldBe({ status }: Context, on: boolean): Promise<Done> {
  const { brake, hasLegacy } = await status();
  if (on && !hasLegacy) {
    throw refused(
      'The brake can do nothing here: this Worker has no legacy lane to put new sessions on',
      'Go back to an earlier stage or version by other means.',
    );
  }
  const is = brake?.on === true ? 'on' : 'off';
  return {
    exitCode: 0,
    json: { dryRun: true, brake },
    text: `The brake is ${is}, and would be ${on ? 'on' : 'off'}. Nothing was changed.`,
  };
}

/** Asked when the brake is on; that it cannot be asked is no reason to say that braking failed. */
async function beyondTheBrake({ status }: Context): Promise<readonly string[]> {
  const told = await status().catch(() => undefined);
  const ended = (told?.routes ?? []).filter(({ stage }) => isEnd(stage));
  return ended.map(
    ({ route, path, stage }) => `It does nothing for ${path}, which is at ${stage}: ${COMMANDS.cutover} set ${route} …`,
  );
}

export async function audit({ api }: Context, { limit }: { readonly limit: string }): Promise<Done> {
  const { entries } = read(Audit, await api.get(`/audit?limit=${encodeURIComponent(limit)}`));
  const rows = entries.map((entry) => [
    when(entry.at),
    byText(entry),
    entry.action,
    detailText(entry.detail),
    entry.why ?? '',
  ]);
  return {
    exitCode: 0,
    json: { entries },
    text:
      rows.length === 0
        ? 'Nothing was changed yet.'
        : table(['when', 'who', 'what', 'detail', 'why'], rows, LONGEST_DETAIL),
  };
}

/** A flag before and after, in words. */
const LONGEST_DETAIL = 400;

const State = v.object({
  default_variation: v.string(),
  rules: v.array(
    v.object({
      conditions: v.array(v.unknown()),
      serve_variation: v.string(),
      rollout: v.optional(v.object({ percentage: v.number(), attribute: v.optional(v.string()) })),
    }),
  ),
});
const FlagDetail = v.looseObject({ flag: v.string(), before: v.nullable(State), after: State });

/** A flag before and after in words; anything else as it is. JSON has all of it. */
function detailText(detail: unknown): string {
  const { success, output } = v.safeParse(FlagDetail, detail);
  if (!success) return JSON.stringify(detail);
  const text = (state: v.InferOutput<typeof State> | null): string =>
    state === null ? 'none' : stateText(state as FlagState);
  return `${output.flag}: was ${text(output.before)}, is ${text(output.after)}`;
}
