/** A limit per client, through the platform's rate-limiting binding. */
import type { Caller } from '../../shared/caller.ts';
import { reportUnavailable, type Reporter } from '../../shared/pipeline/report.ts';
import { rateLimited, type Refusal } from '../refusal.ts';

interface Limiter {
  limit(what: { key: string }): Promise<{ success: boolean }>;
}

export interface RateLimitEnv {
  /** Without it there is no limit. */
  readonly RATE_LIMITER?: Limiter;
}

/** Says what a request is limited by; requests with the same text share one limit. */
export type RateKeyReader = (request: Request, caller: Caller) => string;

export interface RateRules {
  readonly report: Reporter;
  readonly caller: Caller;
  /** The client's address if absent. */
  readonly rateKeyOf?: RateKeyReader;
}

const addressOf: RateKeyReader = ({ headers }) => clientKey(headers.get('cf-connecting-ip'));

export async function checkRate(limiter: Limiter, request: Request, rules: RateRules): Promise<Refusal | undefined> {
  try {
    const { rateKeyOf = addressOf, caller } = rules;
    const { success } = await limiter.limit({ key: rateKeyOf(request, caller) });
    return success ? undefined : rateLimited;
  } catch (cause) {
    // A limiter that is down must not take the server down with it.
    reportUnavailable(rules.report, cause);
    return undefined;
  }
}

/** An IPv6 client owns the whole /64 of its address; requests that have no address share one limit. */
export function clientKey(address: string | null): string {
  if (address === null || address === '') return 'no-address';
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const after = tail === undefined ? [] : tail.split(':').filter((group) => group !== '');
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - groups.length - after.length) }, () => '0');
  return [...groups, ...zeros, ...after]
    .slice(0, 4)
    .map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''))
    .join(':');
}
