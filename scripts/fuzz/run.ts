/**
 * Sends hostile requests to a real server, many at a time, and holds every answer and the server's own output against the
 * rules. Generation is by seed; a wrong answer is asked for again, alone, and made as small as it can be.
 */
import * as fc from 'fast-check';
import { hostileRequest, type Sessions } from './arbitrary.ts';
import { faultOf } from './judge.ts';
import { wasReloaded, wrongLines } from './output.ts';
import { bytesOf, curlOf, type HostileRequest } from './request.ts';
import { sendRaw, type Outcome } from './wire.ts';

export interface FuzzOptions {
  readonly url: string;
  readonly seed: number;
  readonly requests: number;
  /** No new request is sent after this time. */
  readonly limitMs: number;
  readonly parallel: number;
  /** What the server has printed. */
  readonly output: () => string;
  readonly onProgress?: (sent: number) => void;
}

export interface FuzzReport {
  readonly sent: number;
  readonly ms: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly slowestMs: number;
  readonly failures: readonly string[];
}

/** Short times in the server, so that a stream that the door must end counts as a hang within the run. */
export const FUZZ_VARS = {
  ANSWER_DEADLINE_MS: '5000',
  CALL_STREAM_MS: '6000',
  LISTEN_STREAM_MS: '200',
  LOG_LEVEL: 'info',
} as const;

/** Longer than any time in FUZZ_VARS: whoever is still silent then hangs. */
const HANG_MS = 15_000;
const MOST_FAILURES = 5;
const SHRINK_MS = 30_000;

export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { url, seed, parallel } = options;
  const { port, host } = new URL(url);
  const send = (request: HostileRequest): Promise<Outcome> => sendRaw(Number(port), bytesOf(request, host), HANG_MS);

  const sessions = await openSessions(url);
  const requests = hostileRequest(sessions);
  const startedAt = performance.now();
  const statuses: Record<string, number> = {};
  const wrong: number[] = [];
  let sent = 0;
  let slowestMs = 0;

  // The same values that a property of this seed would get, so that one of them can be found and shrunk by its place.
  const values = fc.sample(requests, { seed, numRuns: options.requests }).entries();
  const worker = async (): Promise<void> => {
    for (const [place, request] of values) {
      if (performance.now() - startedAt > options.limitMs || wrong.length >= MOST_FAILURES) return;
      const askedAt = performance.now();
      const outcome = await send(request);
      slowestMs = Math.max(slowestMs, performance.now() - askedAt);
      const key = outcome.kind === 'answer' ? String(outcome.answer.status) : outcome.kind;
      statuses[key] = (statuses[key] ?? 0) + 1;
      sent += 1;
      if (faultOf(request, outcome) !== undefined) wrong.push(place);
      options.onProgress?.(sent);
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));

  const failures = [];
  for (const place of wrong) failures.push(await shrunk(requests, { seed, place, send, url }));
  const alive = await send({ method: 'GET', target: '/healthz', headers: [], body: undefined, framing: 'none' });
  if (alive.kind !== 'answer' || alive.answer.status !== 200) failures.push('the server does not answer any more');
  failures.push(...wrongLines(options.output()).map((line) => `the server printed: ${line}`));
  if (failures.length > 0 && wasReloaded(options.output())) {
    failures.push('a source or a package changed during the run, and the server was replaced: run it again');
  }
  return { sent, ms: performance.now() - startedAt, statuses, slowestMs, failures };
}

async function shrunk(
  requests: fc.Arbitrary<HostileRequest>,
  found: { seed: number; place: number; url: string; send: (request: HostileRequest) => Promise<Outcome> },
): Promise<string> {
  const failing: { request: HostileRequest; fault: string }[] = [];
  const property = fc.asyncProperty(requests, async (request) => {
    const fault = faultOf(request, await found.send(request));
    if (fault === undefined) return;
    failing.push({ request, fault });
    throw new Error(fault);
  });
  const path = String(found.place);
  const where = `seed ${found.seed}, place ${path}`;
  await fc.check(property, { seed: found.seed, path, numRuns: 1, plugins: [fc.interruptAfterTimeLimit(SHRINK_MS)] });
  // Each step of shrinking goes on from a failure, so the last one is the smallest.
  const smallest = failing.at(-1);
  if (smallest !== undefined) return `${smallest.fault} (${where})\n  ${curlOf(smallest.request, found.url)}`;
  const [again] = fc.sample(requests, { seed: found.seed, path, numRuns: 1 });
  const command = again === undefined ? '' : `\n  ${curlOf(again, found.url)}`;
  return `wrong among others, and right when asked alone (${where})${command}`;
}

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'fuzz', version: '1' } },
});

async function openSessions(url: string): Promise<Sessions> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const open = async (path: string): Promise<string> => {
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: INITIALIZE });
    await response.text();
    const sessionId = response.headers.get('mcp-session-id');
    if (sessionId === null) throw new Error(`${path} gave no session id`);
    return sessionId;
  };
  const ended = await open('/legacy/mcp');
  await fetch(`${url}/legacy/mcp`, { method: 'DELETE', headers: { 'mcp-session-id': ended } });
  return { legacy: await open('/legacy/mcp'), ended, compat: await open('/mcp') };
}
