/** Runs a case on one lane, as one client. */
import { Aliases } from '../parity/alias.ts';
import type { Difference } from '../parity/difference.ts';
import { observe, type Observation } from '../parity/observe.ts';
import { sanitize, type SanitizerName } from '../parity/sanitize.ts';
import type { Json } from '../shared/json.ts';
import { openLane, type LaneName, type WireOptions } from './wire.ts';

/** One request of a case. A text `<name 1>` in its parameters stands for the first handle that the case was given. */
export interface LaneStep {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Requests of one client, in order, of which the last answer is compared. */
export interface LaneCase {
  readonly name: string;
  readonly steps: readonly LaneStep[];
  /** What every lane must answer. Without it, what the first lane answers. */
  readonly expected?: Observation;
  /** The caller who makes the case, of those that the tests are given. Default: each of them. */
  readonly as?: string;
}

/**
 * The lanes are not equal, or the tests do not look at all there is. The message says where, and what to do.
 *
 * @example
 * ```ts
 * const [test] = laneTests({ send: fetch, origin: 'https://example.com', cases: [{ name: 'add', steps: [callTool('add')] }] });
 * await test?.run().catch((error: unknown) => {
 *   if (error instanceof LaneTestError) console.error(error.differences);
 * });
 * ```
 */
export class LaneTestError extends Error {
  override readonly name = 'LaneTestError';
  readonly differences: readonly Difference[];

  constructor(message: string, differences: readonly Difference[] = []) {
    super(message);
    this.differences = differences;
  }
}

/** How a case is run. */
export interface CaseOptions extends Pick<WireOptions, 'send' | 'capabilities' | 'paths' | 'headers'> {
  readonly origin?: string;
  readonly sanitize?: readonly SanitizerName[];
}

/** On a lane of its own, so that no state goes from one case into another. */
export async function runCase(name: LaneName, { steps }: LaneCase, options: CaseOptions): Promise<Observation> {
  const lane = await openLane(name, { ...options, origin: options.origin ?? 'http://localhost' });
  const aliases = new Aliases();
  let last: Observation = { kind: 'harness_error', cause: 'the case has no steps' };
  try {
    for (const { method, params } of steps) {
      const { answer, status } = await lane.request(
        method,
        aliases.restore((params ?? {}) as Json) as Record<string, unknown>,
      );
      const observed: Observation =
        answer === undefined
          ? { kind: 'harness_error', cause: `HTTP status ${status} without a JSON-RPC answer to ${method}` }
          : observe(answer);
      last = sanitize(aliases.apply(observed), toolOf(params), { names: options.sanitize ?? [], paths: [] });
    }
  } finally {
    await lane.close();
  }
  return last;
}

export const toolOf = (params: LaneStep['params']): string =>
  typeof params?.['name'] === 'string' ? params['name'] : '';
