/**
 * The brake as an isolate sees it: new sessions go to the legacy lane while it is on, whatever the flags say. It does not
 * depend on the flag source. Where the operator's object cannot be reached, what was last known stands.
 */
import type { Reporter } from '../shared/pipeline/report.ts';
import { report } from '../shared/pipeline/report.ts';

/** The name of the one object that holds the brake and the audit log. */
export const OPERATOR_OBJECT_NAME = 'operator';

/** How old an isolate's knowledge may be: the longest that a braking takes to reach every new session. */
export const BRAKE_CACHE_MS = 2_000;
const BRAKE_TIMEOUT_MS = 500;

export interface BrakeEnv {
  readonly OPERATOR_OBJECT?: DurableObjectNamespace;
}

interface BrakeApi {
  brake(): Promise<{ readonly on: boolean }>;
}

export interface BrakeReader {
  isOn(): Promise<boolean>;
}

export function createBrakeReader(env: BrakeEnv, reporter: Reporter, now: () => number = Date.now): BrakeReader {
  let known: { on: boolean; at: number } | undefined;
  return {
    async isOn() {
      if (env.OPERATOR_OBJECT === undefined) return false;
      if (known !== undefined && now() - known.at < BRAKE_CACHE_MS) return known.on;
      const on = await read(env.OPERATOR_OBJECT, reporter);
      known = { on: on ?? known?.on ?? false, at: now() };
      return known.on;
    },
  };
}

async function read(namespace: DurableObjectNamespace, reporter: Reporter): Promise<boolean | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    const object = namespace.getByName(OPERATOR_OBJECT_NAME) as unknown as BrakeApi;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(
        () => reject(new Error(`The operator's object did not answer within ${BRAKE_TIMEOUT_MS} ms.`)),
        BRAKE_TIMEOUT_MS,
      );
    });
    return (await Promise.race([object.brake(), late])).on;
  } catch (cause) {
    report(reporter, { fault: 'lane_error', tool: undefined, cause });
    return undefined;
  } finally {
    if (timer !== undefined) clearTimeout(timer);
  }
}
