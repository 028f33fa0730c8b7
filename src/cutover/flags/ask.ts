/** Asks the flag source one question. Never throws and never waits long: what cannot be read is a problem in words. */
import { ErrorCode, StandardResolutionReasons, type Client, type EvaluationContext } from '@openfeature/server-sdk';
import { isStageOf, type RouteKey, type RouteSettings, type StageOf } from '../stage.ts';

/** A flag source that is slower than this is as good as gone. */
export const FLAG_TIMEOUT_MS = 1_000;

export type Asked<R extends RouteKey> =
  | { readonly kind: 'stage'; readonly stage: StageOf[R] }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly problem: string };

const unreadable = (problem: string): Asked<never> => ({ kind: 'unreadable', problem });

export async function ask<R extends RouteKey>(
  client: Client,
  route: R,
  context: EvaluationContext,
  { flagKeys, usual }: RouteSettings,
): Promise<Asked<R>> {
  const key = flagKeys[route];
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    const details = await Promise.race([
      client.getStringDetails(key, usual[route], context),
      new Promise<undefined>((resolve) => {
        timer = setTimeout(() => resolve(undefined), FLAG_TIMEOUT_MS);
      }),
    ]);
    if (details === undefined) return unreadable(`The flag source did not answer within ${FLAG_TIMEOUT_MS} ms.`);
    if (details.errorCode === ErrorCode.FLAG_NOT_FOUND) return { kind: 'missing' };
    // The provider gives our own default for a disabled flag, which would send every client back at once.
    if (details.reason === StandardResolutionReasons.DISABLED) return unreadable(`The flag ${key} is disabled.`);
    // Without a key a percentage draws by lot, each time anew: that is no answer for a whole route.
    if (context.targetingKey === undefined && details.reason === StandardResolutionReasons.SPLIT) {
      return { kind: 'stage', stage: usual[route] };
    }
    if (details.errorCode !== undefined) {
      return unreadable(`The flag ${key} cannot be read: ${details.errorMessage ?? details.errorCode}`);
    }
    return isStageOf(route, details.value)
      ? { kind: 'stage', stage: details.value }
      : unreadable(`The flag ${key} has a value that is no stage of its route.`);
  } catch (cause) {
    return unreadable(cause instanceof Error ? cause.message : String(cause));
  } finally {
    if (timer !== undefined) clearTimeout(timer);
  }
}
