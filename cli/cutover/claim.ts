/**
 * A flag is changed by one operator at a time. Whoever changes one claims it at the Worker, by the revision that their
 * command has looked at, reads it, has the change logged, writes it, and says how it stands. Of several at once one is let
 * through; the others are refused before anything of theirs is written.
 */
import type { RouteKey } from '../../src/cutover/stage.ts';
import { Claim, read, type Status } from './answers.ts';
import type { Context } from './context.ts';
import { rampOf, type FlagState } from './flag.ts';
import { couldNot, Stop } from './stop.ts';

export interface Change {
  /** Before the change: one that is in the log and failed is a smaller evil than one that nobody knows of. */
  log(action: string, detail: object, why: string): Promise<void>;
  /** How the flag stands now. */
  wrote(state: FlagState): void;
}

const UNTOLD: Change = { log: async () => {}, wrote: () => {} };

/** @param status Undefined to change a flag without a word to the Worker. */
export async function changing<Made>(
  { api, said }: Pick<Context, 'api' | 'said'>,
  route: RouteKey,
  status: Status | undefined,
  work: (change: Change) => Promise<Made>,
): Promise<Made> {
  if (status === undefined) return work(UNTOLD);
  const revision = recordOf(status, route)?.revision ?? 0;
  const { claim } = read(Claim, await api.post('/flag', { step: 'claim', route, revision, who: said }));
  let position: object | null = null;
  const done = (): Promise<unknown> => api.post('/flag', { step: 'done', route, claim, position, who: said });
  try {
    const made = await work({
      log: async (action, detail, why) => {
        await api.post('/flag', { step: 'log', route, claim, action, detail, who: said, why });
      },
      wrote: (state) => {
        position = positionOf(state);
      },
    });
    await done().catch((cause: unknown) => {
      if (cause instanceof Stop)
        throw couldNot(`The flag was written, and the Worker was not told: ${cause.message}`, cause.remedy);
      throw cause;
    });
    return made;
  } catch (cause) {
    // What went wrong is what has to be said. A claim that could not be given back runs out by itself.
    await done().catch(() => undefined);
    throw cause;
  }
}

export const recordOf = ({ routes }: Status, route: RouteKey) => routes.find((one) => one.route === route)?.record;

function positionOf(state: FlagState): object {
  const ramp = rampOf(state);
  return {
    stage: state.default_variation,
    ...(ramp !== undefined && { ramp: { stage: ramp.stage, percent: ramp.percent } }),
  };
}
