/**
 * Whether a certificate is good enough to go on: its signature, its table, its age, what it speaks of, and, where that is
 * asked for, what its two addresses answer now.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as v from 'valibot';
import { Certificate, checkCertificate, type Demand, type Now, type Refusal } from '../../../src/parity/certificate.ts';
import { digestOf } from '../run/make-report.ts';
import { connect, type Connection } from '../targets/connect.ts';
import { readSurface } from '../targets/read-surface.ts';
import { readAddress, type Target } from '../targets/target.ts';
import { signatureOf } from './sign.ts';
import { recount } from './table-file.ts';

export interface Wanted extends Omit<Demand, 'signature' | 'recounted' | 'running'> {
  readonly key: string | undefined;
  /** The table; without it the one beside the certificate. */
  readonly tableFile?: string;
  /** Asks both addresses what they list; missing where nobody asks them. */
  readonly live?: {
    readonly timeoutMs: number;
    readonly controlBearerEnv?: string;
    readonly candidateBearerEnv?: string;
  };
}

/** A certificate cannot be had, or an address not be asked, with why. */
export class CannotVerify extends Error {
  override readonly name = 'CannotVerify';
}

/** @throws CannotVerify where the file cannot be read or an address does not answer. */
export async function verifyCertificate(file: string, wanted: Wanted): Promise<readonly Refusal[]> {
  const { key, tableFile, live, ...demand } = wanted;
  const read = await contentOf(file);
  const certificate = v.safeParse(Certificate, read);
  if (!certificate.success) return checkCertificate(read, { ...demand, signature: 'unsigned' });
  const { control, candidate, table } = certificate.output;
  const beside = tableFile ?? path.join(path.dirname(file), path.basename(table.file));
  const recounted = await recount(beside, certificate.output);
  const running = live === undefined ? undefined : await ask(control, candidate, live);
  return checkCertificate(read, {
    ...demand,
    signature: signatureOf(read, key),
    ...(recounted !== undefined && { recounted }),
    ...(running !== undefined && { running }),
  });
}

async function contentOf(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CannotVerify(`The certificate ${file} cannot be read: ${reason}`, { cause });
  }
}

async function ask(
  control: Certificate['control'],
  candidate: Certificate['candidate'],
  { timeoutMs, controlBearerEnv, candidateBearerEnv }: NonNullable<Wanted['live']>,
): Promise<NonNullable<Demand['running']>> {
  const [left, right] = await Promise.all([
    nowAt(control, controlBearerEnv, timeoutMs),
    nowAt(candidate, candidateBearerEnv, timeoutMs),
  ]);
  return { control: left, candidate: right };
}

async function nowAt(
  { name, address, era }: Certificate['control'],
  bearerEnv: string | undefined,
  timeoutMs: number,
): Promise<Now> {
  const read = readAddress(address);
  if (!read.ok) throw new CannotVerify(`The certificate's ${name}: ${read.why}`);
  const target: Target = {
    name,
    address: read.address,
    era,
    headers: {},
    ...(bearerEnv !== undefined && { bearerEnv }),
  };
  let connection: Connection | undefined;
  try {
    const limits = { timeoutMs, connectTimeoutMs: timeoutMs };
    connection = await connect(target, limits);
    const { info } = connection.server;
    const { lane } = connection;
    return {
      version: `${nameIn(info['name'])} ${nameIn(info['version'])}`,
      catalogueSha256: digestOf((await readSurface(connection, limits)).surface),
      ...(lane !== undefined && { lane }),
    };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CannotVerify(`${address} does not say what it lists now: ${reason}`, { cause });
  } finally {
    await connection?.close();
  }
}

const nameIn = (value: unknown): string => (typeof value === 'string' ? value : 'unknown');
