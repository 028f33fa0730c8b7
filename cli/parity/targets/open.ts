/** Opens a wire to a target and brings it as far as the first call: the probe of `auto`, `initialize`, the older transport. */
import process from 'node:process';
import { envelopeFaults, type EnvelopeFault } from '../../../src/parity/envelope.ts';
import { isPlainObject } from '../../../src/shared/json.ts';
import { environmentFor } from './environment.ts';
import {
  CLIENT_INFO,
  errorStatusOf,
  headersFor,
  paramsFor,
  PROTOCOL,
  readServer,
  type ServerDescription,
} from './era.ts';
import { httpWire } from './http.ts';
import { eraOfAnswer, eraOfFault, type Probed } from './probe.ts';
import { sseWire } from './sse.ts';
import { stdioWire } from './stdio.ts';
import type { Era, Target } from './target.ts';
import type { Throttle } from './throttle.ts';
import { excerpt, WireFault, type Notice, type Notify, type Wire } from './wire.ts';

export interface Opened {
  readonly wire: Wire;
  readonly era: Era;
  readonly protocol: string;
  readonly server: ServerDescription;
  readonly envelope: readonly EnvelopeFault[];
}

export interface Limits {
  /** For every answer once the target is open. */
  readonly timeoutMs: number;
  readonly connectTimeoutMs: number;
  /** False where a call must never be sent twice, and where what a session holds matters. */
  readonly reuseConnections?: boolean;
  /** Told what a target does beside answering. */
  readonly onNotice?: (target: Target, notice: Notice) => void;
  /** One for all connections to a target. */
  readonly throttleOf?: (target: Target) => Throttle;
}

/** How long a probe may take before a program counts as one of the 2025 era, which may leave it unanswered. */
const PROBE_TIMEOUT_MS = 5_000;

/** @throws WireFault when the target cannot be reached, refuses, or does not speak the era. */
export async function openTarget(target: Target, limits: Limits): Promise<Opened> {
  if (target.era === '2025') return open2025(target, limits);
  const wire = await wireOf(target, limits);
  const { probed, message } = await probe(wire, target, limits);
  if (probed.era === '2026') {
    const server = readServer(message, PROTOCOL['2026']);
    const envelope = envelopeFaults('2026', 'server/discover', message);
    if (server !== undefined) return { wire, era: '2026', protocol: PROTOCOL['2026'], server, envelope };
  }
  // A program that has answered the probe is asked on: it has one life.
  if (probed.era === '2025' && target.era === 'auto' && target.address.kind !== 'http' && wire.ended === undefined) {
    try {
      return await initialize(wire, limits);
    } catch (fault) {
      await wire.close();
      throw fault;
    }
  }
  await wire.close();
  if (probed.era === 'none') throw probed.fault;
  if (target.era === 'auto') return open2025(target, limits);
  const why = probed.era === '2025' ? probed.why : 'it does not describe itself';
  throw new WireFault('wrong_era', `does not speak ${PROTOCOL['2026']}: ${why}`);
}

async function probe(
  wire: Wire,
  { era, address }: Target,
  { connectTimeoutMs }: Limits,
): Promise<{ readonly probed: Probed; readonly message?: unknown }> {
  const pipe = address.kind === 'stdio';
  const timeoutMs = era === 'auto' && pipe ? Math.min(PROBE_TIMEOUT_MS, connectTimeoutMs) : connectTimeoutMs;
  const call = { method: 'server/discover' };
  const request = { jsonrpc: '2.0', id: -1, ...call, params: paramsFor('2026') } as const;
  const options = {
    timeoutMs,
    headers: headersFor('2026', PROTOCOL['2026'], call),
    errorStatus: errorStatusOf('2026'),
  };
  try {
    const message = await wire.send(request, options);
    return { probed: eraOfAnswer(message), message };
  } catch (thrown) {
    if (!(thrown instanceof WireFault)) throw thrown;
    return { probed: eraOfFault(thrown, pipe && era === 'auto') };
  }
}

async function open2025(target: Target, limits: Limits): Promise<Opened> {
  const wire = await wireOf(target, limits);
  try {
    return await initialize(wire, limits);
  } catch (fault) {
    await wire.close();
    // A server of the oldest transport has nothing to POST to at this URL (spec 2025-11-25, "Backwards Compatibility").
    const older =
      fault instanceof WireFault && fault.reason === 'refused' && [400, 404, 405].includes(fault.status ?? 0);
    if (target.address.kind !== 'http' || !older) throw fault;
    const sse = await wireOf({ ...target, address: { ...target.address, kind: 'sse' } }, limits).catch(
      (cause: unknown) => {
        // What was named and refused says more than that nothing could be posted.
        throw cause instanceof WireFault && cause.reason === 'refused' && cause.status === undefined ? cause : fault;
      },
    );
    return initialize(sse, limits).catch(async (cause: unknown) => {
      await sse.close();
      throw cause;
    });
  }
}

async function initialize(wire: Wire, { connectTimeoutMs: timeoutMs }: Limits): Promise<Opened> {
  const params = { protocolVersion: PROTOCOL['2025'], capabilities: {}, clientInfo: CLIENT_INFO };
  const message = await wire.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params }, { timeoutMs });
  const result = isPlainObject(message) && isPlainObject(message['result']) ? message['result'] : undefined;
  const protocol = result?.['protocolVersion'];
  const server = readServer(message, undefined);
  if (server === undefined || typeof protocol !== 'string')
    throw new WireFault('wrong_era', `initialize was answered with ${excerpt(JSON.stringify(message), 200)}`);
  await wire.notify('notifications/initialized', { timeoutMs, headers: headersFor('2025', protocol, undefined) });
  return { wire, era: '2025', protocol, server, envelope: envelopeFaults('2025', 'initialize', message) };
}

async function wireOf(target: Target, limits: Limits): Promise<Wire> {
  const { address } = target;
  const notify: Notify = (notice) => limits.onNotice?.(target, notice);
  switch (address.kind) {
    case 'http':
      return httpWire(address.url, headersOf(target), limits.reuseConnections ?? true, notify);
    case 'sse':
      return sseWire(address.url, headersOf(target), limits.connectTimeoutMs, notify);
    case 'stdio':
      return stdioWire(
        address.command,
        environmentFor(process.env, target.passEnv ?? [], address.env ?? {}, process.platform === 'win32'),
        notify,
      );
  }
}

function headersOf({ headers, bearerEnv }: Target): Readonly<Record<string, string>> {
  if (bearerEnv === undefined) return headers;
  const token = process.env[bearerEnv];
  if (token === undefined || token === '')
    throw new WireFault('refused_sign_in', `the environment variable ${bearerEnv} is not set`);
  return { ...headers, authorization: `Bearer ${token}` };
}
