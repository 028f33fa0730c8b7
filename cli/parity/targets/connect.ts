/**
 * Opens a target in the era that was asked for, and asks it. `auto` tries the 2026 era first, as SDK clients do, and
 * falls back to `initialize`. What cannot be asked is an observation of kind `harness_error`, never an exception.
 */
import process from 'node:process';
import { observe, type Observation } from '../../../src/parity/observe.ts';
import type { Call } from '../../../src/parity/run-table.ts';
import { isPlainObject, type JsonObject } from '../../../src/shared/json.ts';
import { headersFor, paramsFor, PROTOCOL, readServer, type ServerDescription } from './era.ts';
import { httpWire } from './http.ts';
import { sseWire } from './sse.ts';
import { stdioWire } from './stdio.ts';
import type { Era, Target } from './target.ts';
import { WireFault, type FaultReason, type Wire } from './wire.ts';

export interface Answer {
  readonly saw: Observation;
  readonly ms: number;
  /** Set when the server could not be asked. */
  readonly fault?: FaultReason;
}

export interface Connection {
  readonly target: Target;
  readonly era: Era;
  readonly protocol: string;
  readonly server: ServerDescription;
  /** Which lane of the server answered, where it says so. */
  readonly lane: string | undefined;
  ask(call: Call): Promise<Answer>;
  close(): Promise<void>;
}

/** How long a probe in the 2026 era may take before a server on a pipe counts as one of the 2025 era. */
const PROBE_TIMEOUT_MS = 5_000;

export interface Limits {
  /** For every answer once the target is open. */
  readonly timeoutMs: number;
  readonly connectTimeoutMs: number;
  /** False where a call must never be sent twice, whatever happens to a connection. */
  readonly reuseConnections?: boolean;
}

/** @throws WireFault when the target cannot be reached, refuses, or does not speak the era. */
export async function connect(target: Target, limits: Limits): Promise<Connection> {
  const timeoutMs = limits.connectTimeoutMs;
  const headers = headersOf(target);
  if (target.era === '2025') return open2025(target, headers, limits);
  const wire = await wireOf(target, headers, limits);
  const ask = asker(wire, '2026', PROTOCOL['2026'], limits.timeoutMs);
  const probe = target.era === 'auto' ? Math.min(PROBE_TIMEOUT_MS, timeoutMs) : timeoutMs;
  let seen: string;
  try {
    const message = await ask.raw({ method: 'server/discover' }, probe);
    const server = readServer(message, PROTOCOL['2026']);
    if (server !== undefined) return connection(target, '2026', PROTOCOL['2026'], server, wire, ask.observed);
    seen = `server/discover was answered with ${JSON.stringify(message).slice(0, 200)}`;
  } catch (fault) {
    await wire.close();
    const fatal = fault instanceof WireFault && ['unreachable', 'refused_sign_in', 'flood'].includes(fault.reason);
    if (target.era === '2026' || fatal) throw fault;
    return open2025(target, headers, limits);
  }
  if (target.era === 'auto' && target.address.kind !== 'http') return initialize(target, wire, limits);
  await wire.close();
  if (target.era === 'auto') return open2025(target, headers, limits);
  throw new WireFault('wrong_era', `does not speak ${PROTOCOL['2026']}: ${seen}`);
}

async function open2025(
  target: Target,
  headers: Readonly<Record<string, string>>,
  limits: Limits,
): Promise<Connection> {
  const timeoutMs = limits.connectTimeoutMs;
  const wire = await wireOf(target, headers, limits);
  try {
    return await initialize(target, wire, limits);
  } catch (fault) {
    await wire.close();
    // A server of the oldest transport has nothing to POST to at this URL (spec 2025-11-25, "Backwards Compatibility").
    const older = fault instanceof WireFault && fault.reason === 'garbage' && /^HTTP 40[045]/.test(fault.message);
    if (target.address.kind !== 'http' || !older) throw fault;
    const sse = await sseWire(target.address.url, headers, timeoutMs).catch(() => {
      throw fault;
    });
    return initialize(target, sse, limits).catch(async (cause: unknown) => {
      await sse.close();
      throw cause;
    });
  }
}

async function initialize(target: Target, wire: Wire, limits: Limits): Promise<Connection> {
  const timeoutMs = limits.connectTimeoutMs;
  const params = {
    protocolVersion: PROTOCOL['2025'],
    capabilities: {},
    clientInfo: { name: 'mcp-parity', version: '1' },
  };
  const { message } = await wire.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params }, { timeoutMs });
  const result = isPlainObject(message) && isPlainObject(message['result']) ? message['result'] : undefined;
  const protocol = result?.['protocolVersion'];
  const server = readServer(message, undefined);
  if (server === undefined || typeof protocol !== 'string')
    throw new WireFault('wrong_era', `initialize was answered with ${JSON.stringify(message).slice(0, 200)}`);
  await wire.notify('notifications/initialized', { timeoutMs, headers: headersFor('2025', protocol, undefined) });
  return connection(target, '2025', protocol, server, wire, asker(wire, '2025', protocol, limits.timeoutMs).observed);
}

function connection(
  target: Target,
  era: Era,
  protocol: string,
  server: ServerDescription,
  wire: Wire,
  ask: Connection['ask'],
): Connection {
  return { target, era, protocol, server, lane: wire.lane?.(), ask, close: () => wire.close() };
}

function asker(wire: Wire, era: Era, protocol: string, timeoutMs: number) {
  let id = 0;
  const raw = async (call: Call, limitMs: number): Promise<unknown> => {
    const params: JsonObject = paramsFor(era, call.params);
    const request = { jsonrpc: '2.0', id: (id += 1), method: call.method, params } as const;
    const { message } = await wire.send(request, { timeoutMs: limitMs, headers: headersFor(era, protocol, call) });
    return message;
  };
  const observed = async (call: Call): Promise<Answer> => {
    const startedAt = performance.now();
    try {
      const saw = observe(await raw(call, timeoutMs));
      const ms = performance.now() - startedAt;
      return saw.kind === 'harness_error' ? { saw, ms, fault: 'garbage' } : { saw, ms };
    } catch (thrown) {
      const [fault, cause] =
        thrown instanceof WireFault ? [thrown.reason, thrown.message] : (['garbage', String(thrown)] as const);
      return { saw: { kind: 'harness_error', cause }, ms: performance.now() - startedAt, fault };
    }
  };
  return { raw, observed };
}

async function wireOf(target: Target, headers: Readonly<Record<string, string>>, limits: Limits): Promise<Wire> {
  const { address } = target;
  switch (address.kind) {
    case 'http':
      return httpWire(address.url, headers, limits.reuseConnections ?? true);
    case 'sse':
      return sseWire(address.url, headers, limits.connectTimeoutMs);
    case 'stdio':
      return stdioWire(address.command, address.env);
  }
}

function headersOf({ headers, bearerEnv }: Target): Readonly<Record<string, string>> {
  if (bearerEnv === undefined) return headers;
  const token = process.env[bearerEnv];
  if (token === undefined || token === '')
    throw new WireFault('refused_sign_in', `the environment variable ${bearerEnv} is not set`);
  return { ...headers, authorization: `Bearer ${token}` };
}
