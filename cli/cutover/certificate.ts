/**
 * The certificate of `mcp-parity` as a condition of a change: nothing changes that an old or a bad one speaks for, or one
 * that compared another deployment or other lanes than the step moves clients between.
 */
import { CannotVerify, verifyCertificate } from '../parity/certificate/verify.ts';
import { KEY_VARIABLE } from '../parity/certificate/sign.ts';
import { readLeast, USUAL_LEAST, type Least } from '../../src/parity/certificate.ts';
import { refusalText } from '../../src/parity/refusal-text.ts';
import type { RouteKey } from '../../src/cutover/stage.ts';
import { couldNot, refused } from './stop.ts';
import { COMMANDS } from './project.ts';

export interface CertificateFlags {
  readonly certificate?: string;
  /** In hours, as `mcp-parity verify` takes it. */
  readonly maxAge?: string;
  /** Names with commas between them. */
  readonly exempt?: string;
  /** As `mcp-parity verify` takes it. */
  readonly minSucceeded?: string;
  /** The environment variable that holds a token for what the lanes list. */
  readonly bearerEnv?: string;
}

/** The step that a certificate has to be for, and the Worker. */
export interface Step {
  readonly route: RouteKey;
  readonly stage: string;
  readonly url: string;
  /** The operator's key; missing where the environment has none. */
  readonly key: string | undefined;
}

const HOUR_MS = 3_600_000;
export const MAX_AGE_HOURS = 7 * 24;
const LIVE_TIMEOUT_MS = 30_000;

/**
 * Steps that take 2025 clients from one lane to another; every other step moves nobody, or back to where they were. A
 * client whose route is gone has only the compat lane left to go to.
 */
const MOVING: ReadonlySet<string> = new Set(['legacy stateless', 'legacy gone', 'sse gone', 'mcp stateless']);

/** Nothing is demanded where no certificate is named. */
export async function needCertificate(
  { certificate: file, ...more }: CertificateFlags,
  { route, stage, url, key }: Step,
): Promise<void> {
  const { maxAge, exempt, minSucceeded, bearerEnv } = more;
  if (file === undefined) {
    if (maxAge === undefined && exempt === undefined && minSucceeded === undefined && bearerEnv === undefined) return;
    throw couldNot(
      '--max-age, --min-succeeded, --exempt and --bearer-env are about a certificate',
      'Name its file with --certificate.',
    );
  }
  const step = `${route} ${stage}`;
  if (!MOVING.has(step))
    throw couldNot(
      `The step "${step}" moves nobody to another lane, so no certificate speaks of it`,
      'Leave --certificate out.',
    );
  const again = `Compare these two lanes for this step: ${COMMANDS.parity} run --step "${step}" --certificate ${file} …, with the key in ${KEY_VARIABLE} (docs/runbook.md, step 1).`;
  const refusals = await verifyCertificate(file, {
    now: new Date(),
    maxAgeMs: hoursOf(maxAge) * HOUR_MS,
    least: leastOf(minSucceeded),
    key,
    takesUnsigned: false,
    step,
    origin: url,
    lanes: { control: 'legacy', candidate: 'compat' },
    live: {
      timeoutMs: LIVE_TIMEOUT_MS,
      ...(bearerEnv !== undefined && { controlBearerEnv: bearerEnv, candidateBearerEnv: bearerEnv }),
    },
    ...(exempt !== undefined && { exempt: exempt.split(',').map((name) => name.trim()) }),
  }).catch((thrown: unknown) => {
    if (thrown instanceof CannotVerify)
      throw couldNot(
        thrown.message,
        'Name the file that mcp-parity run --certificate wrote, and see that the Worker answers.',
      );
    throw thrown;
  });
  if (refusals.length === 0) return;
  throw refused(
    `The certificate ${file} is not good enough: ${refusals.map(refusalText).join(' ').replace(/\.$/, '')}`,
    again,
  );
}

function leastOf(text: string | undefined): Least {
  if (text === undefined) return USUAL_LEAST;
  const least = readLeast(text);
  if (least !== undefined) return least;
  throw couldNot(`--min-succeeded "${text}" is not understood`, 'Use for example --min-succeeded 20,lookup=8.');
}

function hoursOf(text: string | undefined): number {
  if (text === undefined) return MAX_AGE_HOURS;
  if (/^\d{1,6}(\.\d+)?$/.test(text) && Number(text) > 0) return Number(text);
  throw couldNot(`--max-age "${text}" is no number of hours above 0`, 'Use for example --max-age 24.');
}
