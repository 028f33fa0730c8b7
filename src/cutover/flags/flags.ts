/**
 * Reads a route's flag. Never throws, never waits long, and an unreadable flag never moves anybody: the last good value
 * of the same question stands, or else what the route did before there were flags.
 */
import {
  ErrorCode,
  OpenFeature,
  StandardResolutionReasons,
  type Client,
  type EvaluationContext,
} from '@openfeature/server-sdk';
import type { Reporter } from '../../shared/pipeline/report.ts';
import { report } from '../../shared/pipeline/report.ts';
import { FLAG_KEYS, isStageOf, USUAL_STAGE, type RouteKey, type StageOf } from '../stage.ts';
import { providerFor, type FlagEnv } from './provider.ts';

/** Whom a flag is asked for. All of it may be targeted; nothing else is told to the flag source. */
export interface FlagSubject {
  /** Stable for a client, unreadable for the flag source. */
  readonly bucket: string;
  readonly clientName?: string;
  readonly clientVersion?: string;
  readonly era?: '2025' | '2026';
  readonly subject?: string;
}

export type FlagReason = 'flag' | 'flag_missing' | 'flag_unreadable';

export interface FlagValue<R extends RouteKey> {
  readonly stage: StageOf[R];
  readonly reason: FlagReason;
}

export interface Flags {
  /** The stage for one client. */
  stageFor<R extends RouteKey>(route: R, subject: FlagSubject): Promise<FlagValue<R>>;
  /** What an isolate knows of a route, at once: for sessions that are pinned, whose requests must not wait for a flag. */
  stageKnown<R extends RouteKey>(route: R, ctx: Pick<ExecutionContext, 'waitUntil'>): FlagValue<R>;
  /** The stage of the route itself, for requests that cannot be told apart. Kept in the isolate and refreshed behind. */
  stageOf<R extends RouteKey>(route: R, ctx: Pick<ExecutionContext, 'waitUntil'>): Promise<FlagValue<R>>;
}

/** How long an isolate may serve a flag from memory: the longest that a change takes to reach every request. */
export const FLAG_CACHE_MS = 5_000;
/** A flag source that is slower than this is as good as gone. */
export const FLAG_TIMEOUT_MS = 1_000;
/** Clients remembered an isolate; the oldest makes room. */
const MAX_REMEMBERED = 5_000;

interface Remembered {
  readonly stage: string;
  readonly reason: FlagReason;
  readonly at: number;
}

/** Domains keep the providers of several environments in one isolate apart, as tests have them. */
let domains = 0;

export function createFlags(env: FlagEnv, reporter: Reporter, now: () => number = Date.now): Flags {
  const domain = `cutover-${(domains += 1)}`;
  OpenFeature.setProvider(domain, providerFor(env));
  const client = OpenFeature.getClient(domain);
  const remembered = new Map<string, Remembered>();

  async function read<R extends RouteKey>(route: R, key: string, context: EvaluationContext): Promise<FlagValue<R>> {
    const known = remembered.get(key);
    if (known !== undefined && now() - known.at < FLAG_CACHE_MS) return valueOf(route, known);
    const value = unlessLost(route, await ask(client, route, context), known);
    if ('stage' in value) {
      remember(key, { ...value, at: now() });
      return value;
    }
    report(reporter, { fault: 'flag_unreadable', tool: undefined, cause: new Error(value.problem) });
    // A client that was never asked for stands where its route was last known to stand.
    const last = known ?? remembered.get(wholeRoute(route));
    const stage = last === undefined ? USUAL_STAGE[route] : valueOf(route, last).stage;
    // Remembered like an answer, so that a source that hangs is not waited for by everyone who comes.
    remember(key, { stage, reason: 'flag_unreadable', at: now() });
    return { stage, reason: 'flag_unreadable' };
  }

  function remember(key: string, value: Remembered): void {
    remembered.delete(key);
    remembered.set(key, value);
    const oldest = remembered.size > MAX_REMEMBERED ? remembered.keys().next() : undefined;
    if (oldest !== undefined && oldest.done !== true) remembered.delete(oldest.value);
  }

  return {
    stageFor: (route, { bucket, ...attributes }) =>
      read(route, `${route} ${bucket} ${attributes.clientName} ${attributes.clientVersion} ${attributes.era}`, {
        targetingKey: bucket,
        ...attributes,
      }),
    stageOf: async (route, ctx) => {
      const key = wholeRoute(route);
      return remembered.has(key) ? stageKnown(route, ctx) : read(route, key, {});
    },
    stageKnown,
  };

  function stageKnown<R extends RouteKey>(route: R, ctx: Pick<ExecutionContext, 'waitUntil'>): FlagValue<R> {
    const key = wholeRoute(route);
    const known = remembered.get(key) ?? { stage: USUAL_STAGE[route], reason: 'flag', at: now() - FLAG_CACHE_MS };
    if (now() - known.at >= FLAG_CACHE_MS) {
      // Marked as fresh first, so that one request refreshes and the others do not.
      remember(key, { ...known, at: now() });
      ctx.waitUntil(refresh(route, key));
    }
    return valueOf(route, known);
  }

  async function refresh(route: RouteKey, key: string): Promise<void> {
    const value = unlessLost(route, await ask(client, route, {}), remembered.get(key));
    if ('stage' in value) remember(key, { ...value, at: now() });
    else report(reporter, { fault: 'flag_unreadable', tool: undefined, cause: new Error(value.problem) });
  }
}

const wholeRoute = (route: RouteKey): string => `${route} *`;

function valueOf<R extends RouteKey>(route: R, { stage, reason }: Remembered): FlagValue<R> {
  return { stage: isStageOf(route, stage) ? stage : USUAL_STAGE[route], reason };
}

type Asked<R extends RouteKey> = FlagValue<R> | { readonly problem: string };

/** A flag that was there and is not any more is no decision of an operator's, so it moves nobody either. */
function unlessLost<R extends RouteKey>(route: R, asked: Asked<R>, known: Remembered | undefined): Asked<R> {
  const isLost = 'stage' in asked && asked.reason === 'flag_missing' && known?.reason === 'flag';
  return isLost ? { problem: `The flag ${FLAG_KEYS[route]} is not there any more.` } : asked;
}

async function ask<R extends RouteKey>(client: Client, route: R, context: EvaluationContext): Promise<Asked<R>> {
  const usual: string = USUAL_STAGE[route];
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    const details = await Promise.race([
      client.getStringDetails(FLAG_KEYS[route], usual, context),
      new Promise<undefined>((resolve) => {
        timer = setTimeout(() => resolve(undefined), FLAG_TIMEOUT_MS);
      }),
    ]);
    if (details === undefined) return { problem: `The flag source did not answer within ${FLAG_TIMEOUT_MS} ms.` };
    if (details.errorCode === ErrorCode.FLAG_NOT_FOUND) return { stage: USUAL_STAGE[route], reason: 'flag_missing' };
    // The provider gives our own default for a disabled flag, which would send every client back at once.
    if (details.reason === StandardResolutionReasons.DISABLED)
      return { problem: `The flag ${FLAG_KEYS[route]} is disabled.` };
    // Without a key a percentage draws by lot, each time anew: that is no answer for a whole route.
    if (context.targetingKey === undefined && details.reason === StandardResolutionReasons.SPLIT) {
      return { stage: USUAL_STAGE[route], reason: 'flag' };
    }
    if (details.errorCode !== undefined) return { problem: `${details.errorCode}: ${details.errorMessage ?? ''}` };
    if (!isStageOf(route, details.value))
      return { problem: `The flag ${FLAG_KEYS[route]} has a value that is no stage of its route.` };
    return { stage: details.value, reason: 'flag' };
  } catch (cause) {
    return { problem: cause instanceof Error ? cause.message : String(cause) };
  } finally {
    if (timer !== undefined) clearTimeout(timer);
  }
}
