/**
 * Reads a route's flag. Never throws, never waits long, and never answers from a value that is older than 5 seconds. What
 * cannot be read moves nobody: the last good stage of the same question stands, then that of the route, in this isolate or
 * as the deployment remembers it, and only then what the route does without flags.
 */
import { OpenFeature, type EvaluationContext, type Provider } from '@openfeature/server-sdk';
import type { Reporter } from '../../shared/pipeline/report.ts';
import { RecentMap } from '../../shared/recent-map.ts';
import { report, reportUnavailable } from '../../shared/pipeline/report.ts';
import { isStageOf, ROUTE_SETTINGS, type RouteKey, type RouteSettings, type StageOf } from '../stage.ts';
import { ask, type Asked } from './ask.ts';

/** Whom a flag is asked for. All of it may be targeted; nothing else is told to the flag source. */
export interface FlagSubject {
  /** Stable for a client, unreadable for the flag source. */
  readonly bucket: string;
  readonly clientName?: string;
  readonly clientVersion?: string;
  readonly era?: '2025' | '2026';
  readonly subject?: string;
}

/** `flag_missing`: it was never made. `flag_unreadable`: it is disabled, deleted, of another type or out of reach. */
export type FlagReason = 'flag' | 'flag_missing' | 'flag_unreadable';

/** What is wrong with a flag, and since when this isolate has known. */
export interface FlagTrouble {
  readonly problem: string;
  /** Milliseconds since 1970. */
  readonly since: number;
}

export interface FlagValue<R extends RouteKey> {
  readonly stage: StageOf[R];
  readonly reason: FlagReason;
  /** Absent if the flag was read. */
  readonly trouble?: FlagTrouble;
}

type Background = Pick<ExecutionContext, 'waitUntil'>;

export interface Flags {
  /** The stage for one client. That of the route is read behind it: it is what holds for everybody if the flag is lost. */
  stageFor<R extends RouteKey>(route: R, subject: FlagSubject, ctx: Background): Promise<FlagValue<R>>;
  /** The stage of the route itself, for sessions that are pinned and for requests that cannot be told apart. */
  stageOf<R extends RouteKey>(route: R, ctx: Background): Promise<FlagValue<R>>;
}

/** The last good stage of each route, kept for isolates that have not read one themselves. */
export interface StageMemory {
  recall(route: RouteKey): Promise<string | undefined>;
  /** @param readAt When the flag source was asked: a later answer is never replaced by an earlier one. */
  keep(route: RouteKey, stage: string, readAt: number): Promise<void>;
}

export interface FlagsOptions {
  readonly source: Provider;
  readonly report: Reporter;
  readonly settings?: RouteSettings;
  readonly memory?: StageMemory;
  readonly now?: () => number;
}

/** How old a flag's value may be when a request is answered by it: the longest that a change takes to reach every request. */
export const FLAG_CACHE_MS = 5_000;
/** From this age on, a request that uses a route's value has the next one read behind it, so that busy isolates never wait. */
const REFRESH_MS = 2_500;
/** Clients remembered per isolate; the oldest makes room. */
const MAX_REMEMBERED = 5_000;
/** If the deployment remembers no stage of a route, it is asked again after this time. */
const RECALL_AGAIN_MS = 60_000;
/** The same problem is reported again after this time. */
const REPORT_AGAIN_MS = 3_600_000;

interface Remembered extends FlagValue<RouteKey> {
  /** When the flag source was asked. */
  readonly at: number;
  /** True once a stage was read for this question. */
  readonly wasRead: boolean;
}

/** Domains keep the providers of several environments in one isolate apart, as tests have them. */
let domains = 0;

export function createFlags(options: FlagsOptions): Flags {
  const { source, memory, settings = ROUTE_SETTINGS, now = Date.now } = options;
  const domain = `cutover-${(domains += 1)}`;
  OpenFeature.setProvider(domain, source);
  const client = OpenFeature.getClient(domain);
  const remembered = new RecentMap<Remembered>(MAX_REMEMBERED);
  /** Routes whose stage is read behind a request at this moment, and since when. */
  const refreshing = new Map<RouteKey, number>();
  const recalled = new Map<RouteKey, { readonly stage: string | undefined; readonly at: number }>();
  const kept = new Map<RouteKey, string>();
  const reported = new Map<string, number>();

  return {
    stageFor: async (route, { bucket, ...attributes }, ctx) => {
      const key = `${route} ${bucket} ${attributes.clientName} ${attributes.clientVersion} ${attributes.era}`;
      const known = remembered.get(key);
      if (known !== undefined && now() - known.at < FLAG_CACHE_MS) return valueOf(route, known);
      const whole = remembered.get(wholeRoute(route));
      if (whole === undefined || now() - whole.at >= FLAG_CACHE_MS) readBehind(route, ctx);
      return read(route, key, { targetingKey: bucket, ...attributes });
    },
    stageOf: async (route, ctx) => {
      const key = wholeRoute(route);
      const known = remembered.get(key);
      const age = known === undefined ? FLAG_CACHE_MS : now() - known.at;
      // Older than allowed is waited for, by pinned sessions too: a quiet isolate would answer by yesterday's stage.
      if (known === undefined || age >= FLAG_CACHE_MS) return readRoute(route, ctx);
      if (age >= REFRESH_MS) readBehind(route, ctx);
      return valueOf(route, known);
    },
  };

  /** Unless it is being read already. */
  function readBehind(route: RouteKey, ctx: Background): void {
    if (now() - (refreshing.get(route) ?? Number.NEGATIVE_INFINITY) < REFRESH_MS) return;
    refreshing.set(route, now());
    ctx.waitUntil(readRoute(route, ctx));
  }

  async function readRoute<R extends RouteKey>(route: R, ctx: Background): Promise<FlagValue<R>> {
    const askedAt = now();
    const value = await read(route, wholeRoute(route), {});
    refreshing.delete(route);
    if (value.reason === 'flag' && memory !== undefined && kept.get(route) !== value.stage) {
      kept.set(route, value.stage);
      ctx.waitUntil(
        memory.keep(route, value.stage, askedAt).catch((cause: unknown) => {
          kept.delete(route);
          reportUnavailable(options.report, cause);
        }),
      );
    }
    return value;
  }

  async function read<R extends RouteKey>(route: R, key: string, context: EvaluationContext): Promise<FlagValue<R>> {
    const askedAt = now();
    const asked = await ask(client, route, context, settings);
    const known = remembered.get(key);
    // An answer that was asked for earlier, and came later, is of no use any more.
    if (known !== undefined && known.at > askedAt) return valueOf(route, known);
    const value = await judged(route, asked, known);
    remembered.set(key, { ...value, at: askedAt, wasRead: value.reason === 'flag' || known?.wasRead === true });
    return value;
  }

  /** What the answer means for whoever asked: a flag that was there and is not any more is no decision of an operator's. */
  async function judged<R extends RouteKey>(
    route: R,
    asked: Asked<R>,
    known: Remembered | undefined,
  ): Promise<FlagValue<R>> {
    if (asked.kind === 'stage') return { stage: asked.stage, reason: 'flag' };
    const last = known?.wasRead === true ? known.stage : await lastOf(route);
    const key = settings.flagKeys[route];
    const isMissing = asked.kind === 'missing' && last === undefined;
    const reason = isMissing ? 'flag_missing' : 'flag_unreadable';
    const problem =
      asked.kind === 'unreadable'
        ? asked.problem
        : `The flag ${key} ${isMissing ? 'was never made' : 'is not there any more'}.`;
    const before = known?.trouble ?? remembered.get(wholeRoute(route))?.trouble;
    tell(route, reason, problem);
    return {
      stage: isStageOf(route, last) ? last : settings.usual[route],
      reason,
      trouble: { problem, since: before?.since ?? now() },
    };
  }

  /** The stage at which the route was last known to stand, here or anywhere. */
  async function lastOf(route: RouteKey): Promise<string | undefined> {
    const own = remembered.get(wholeRoute(route));
    if (own?.wasRead === true) return own.stage;
    const before = recalled.get(route);
    const isFresh = before !== undefined && (before.stage !== undefined || now() - before.at < RECALL_AGAIN_MS);
    if (memory === undefined || isFresh) return before?.stage;
    try {
      const stage = await memory.recall(route);
      recalled.set(route, { stage, at: now() });
      return stage;
    } catch (cause) {
      reportUnavailable(options.report, cause);
      recalled.set(route, { stage: undefined, at: now() });
      return undefined;
    }
  }

  /** Once per problem, not with every reading: what is wrong stays wrong until somebody acts. */
  function tell(route: RouteKey, fault: 'flag_missing' | 'flag_unreadable', problem: string): void {
    const what = `${route} ${problem}`;
    if (now() - (reported.get(what) ?? Number.NEGATIVE_INFINITY) < REPORT_AGAIN_MS) return;
    if (reported.size >= MAX_REMEMBERED) reported.clear();
    reported.set(what, now());
    report(options.report, { fault, tool: undefined, cause: new Error(problem) });
  }

  function valueOf<R extends RouteKey>(route: R, { stage, reason, trouble }: Remembered): FlagValue<R> {
    return {
      stage: isStageOf(route, stage) ? stage : settings.usual[route],
      reason,
      ...(trouble !== undefined && { trouble }),
    };
  }
}

const wholeRoute = (route: RouteKey): string => `${route} *`;
