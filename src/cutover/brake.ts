/**
 * The brake as an isolate sees it: new sessions go to the legacy lane while it is on, whatever the flags say. It does not
 * depend on the flag source. Where the operator's object cannot be reached, what was last known stands.
 */
import { reportUnavailable, type Reporter } from '../shared/pipeline/report.ts';

/** The name of the one object that holds the brake and the audit log. */
export const OPERATOR_OBJECT_NAME = 'operator';

/** How old an isolate's knowledge may be: the longest that a braking takes to reach every new session. */
export const BRAKE_CACHE_MS = 2_000;
const OPERATOR_TIMEOUT_MS = 500;

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
      // Its age counts from the question: the answer may be as old as that.
      const at = now();
      const on = await isOn(env.OPERATOR_OBJECT, reporter);
      if (known === undefined || known.at <= at) known = { on: on ?? known?.on ?? false, at };
      return known.on;
    },
  };
}

async function isOn(namespace: DurableObjectNamespace, reporter: Reporter): Promise<boolean | undefined> {
  try {
    return (await askOperator(namespace, (object) => (object as BrakeApi).brake())).on;
  } catch (cause) {
    reportUnavailable(reporter, cause);
    return undefined;
  }
}

/** One question to the operator's object, which no request waits for longer than half a second. */
export async function askOperator<Answer>(
  namespace: DurableObjectNamespace,
  ask: (object: unknown) => Promise<Answer>,
): Promise<Answer> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`The operator's object did not answer within ${OPERATOR_TIMEOUT_MS} ms.`)),
      OPERATOR_TIMEOUT_MS,
    );
  });
  try {
    return await Promise.race([ask(namespace.getByName(OPERATOR_OBJECT_NAME)), late]);
  } finally {
    if (timer !== undefined) clearTimeout(timer);
  }
}
