/** The certificate of `mcp-parity` as a condition of a change: nothing changes that an old or a bad one speaks for. */
import { readFile } from 'node:fs/promises';
import { checkCertificate, refusalText, USUAL_MAX_BOUND } from '../../src/parity/certificate.ts';
import { couldNot, refused } from './stop.ts';

export interface CertificateFlags {
  readonly certificate?: string;
  /** In hours, as `mcp-parity certificate` takes it. */
  readonly maxAge?: string;
  /** Names with commas between them. */
  readonly exempt?: string;
}

const HOUR_MS = 3_600_000;
export const MAX_AGE_HOURS = 7 * 24;

/** Nothing is demanded where no certificate is named. */
export async function needCertificate({ certificate: file, maxAge, exempt }: CertificateFlags): Promise<void> {
  if (file === undefined) {
    if (maxAge === undefined && exempt === undefined) return;
    throw couldNot('--max-age and --exempt are about a certificate', 'Name its file with --certificate.');
  }
  const refusals = checkCertificate(await contentOf(file), {
    now: new Date(),
    maxAgeMs: hoursOf(maxAge) * HOUR_MS,
    maxUpperBound: USUAL_MAX_BOUND,
    ...(exempt !== undefined && { exempt: exempt.split(',').map((name) => name.trim()) }),
  });
  if (refusals.length === 0) return;
  throw refused(
    `The certificate ${file} is not good enough: ${refusals.map(refusalText).join(' ').replace(/\.$/, '')}`,
    `Compare both lanes again: npm run parity -- run --certificate ${file} …`,
  );
}

async function contentOf(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw couldNot(
      `The certificate ${file} cannot be read: ${reason}`,
      'Name the file that mcp-parity run --certificate wrote.',
    );
  }
}

function hoursOf(text: string | undefined): number {
  if (text === undefined) return MAX_AGE_HOURS;
  if (/^\d{1,6}(\.\d+)?$/.test(text) && Number(text) > 0) return Number(text);
  throw couldNot(`--max-age "${text}" is no number of hours above 0`, 'Use for example --max-age 24.');
}
