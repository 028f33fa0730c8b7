/** `flags init`: makes the flags that are missing, with the stages that the routes had without flags. Safe to repeat. */
import { FLAG_KEYS, ROUTE_KEYS, STAGES, USUAL_STAGE } from '../../../src/cutover/stage.ts';
import type { Context, Done } from '../context.ts';
import { couldNot } from '../stop.ts';
import { table } from '../table.ts';

export async function initFlags(context: Context, { dryRun = false }: { readonly dryRun?: boolean }): Promise<Done> {
  const store = await context.store();
  const known = await store.all();
  const flags: { flag: string; stage: string; created: boolean }[] = [];
  for (const route of ROUTE_KEYS) {
    const key = FLAG_KEYS[route];
    const flag = known.get(key);
    const lacks = STAGES[route].filter((stage) => flag !== undefined && flag.variations[stage] !== stage);
    if (lacks.length > 0) {
      throw couldNot(
        `The flag ${key} in ${store.where} lacks the variations ${lacks.join(', ')}`,
        `Add each: npx wrangler flagship flags update <app> ${key} ${lacks.map((stage) => `--set-variation ${stage}=${stage}`).join(' ')}`,
      );
    }
    if (flag === undefined && !dryRun) await store.create(route);
    flags.push({ flag: key, stage: flag?.default_variation ?? USUAL_STAGE[route], created: flag === undefined });
  }
  const done = dryRun ? 'would be made' : 'made';
  return {
    exitCode: 0,
    json: { where: store.where, dryRun, flags },
    text: `${store.where}\n\n${table(
      ['flag', 'stage', ''],
      flags.map(({ flag, stage, created }) => [flag, stage, created ? done : 'was there']),
    )}`,
  };
}
