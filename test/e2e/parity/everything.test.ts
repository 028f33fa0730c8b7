/**
 * A server that nobody here wrote, against itself: equal over every transport that it has, and what varies is named.
 * Two of its tools take their time, one as long as its input says, so they are left out by name.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo } from 'node:net';
import process from 'node:process';
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { RunReport } from '../../../cli/parity/run/report.ts';
import { at, compareTwo, program, target } from './support/run.ts';

const require = createRequire(import.meta.url);
const SERVER = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');
const SELECTION = { only: [], skip: ['trigger-long-running-operation', 'gzip-file-as-resource'], allowWrites: false };
const CALLED = [
  'echo',
  'get-annotated-message',
  'get-env',
  'get-resource-links',
  'get-resource-reference',
  'get-structured-content',
  'get-sum',
  'get-tiny-image',
];

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/** Starts it and waits until it says that it listens. */
async function start(kind: 'streamableHttp' | 'sse'): Promise<{ child: ChildProcess; port: number }> {
  const port = await freePort();
  const child = spawn(process.execPath, [SERVER, kind], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await new Promise<void>((resolve, reject) => {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (/port|running/i.test(text)) resolve();
    });
    child.once('exit', () => reject(new Error(`${kind} ended before it listened`)));
  });
  return { child, port };
}

const called = ({ groups }: RunReport): string[] =>
  groups
    .filter(({ tool }) => tool)
    .map(({ group }) => group)
    .toSorted();

describe('@modelcontextprotocol/server-everything', () => {
  let http: { child: ChildProcess; port: number };
  let sse: { child: ChildProcess; port: number };
  beforeAll(async () => {
    [http, sse] = await Promise.all([start('streamableHttp'), start('sse')]);
  });
  afterAll(() => {
    http.child.kill();
    sse.child.kill();
  });

  it('answers the same over HTTP, HTTP+SSE and stdio, and what tells the time is noisy', async ({ expect }) => {
    const url = `http://127.0.0.1:${http.port}/mcp`;
    const recorded = `${import.meta.dirname}/support/everything.ndjson`;
    const report = await compareTwo(at(url), at(url), {
      cases: 8,
      selection: SELECTION,
      recorded: [recorded],
      candidates: [
        target('http', at(url), 'auto'),
        target('sse', { kind: 'sse', url: `http://127.0.0.1:${sse.port}/sse` }, 'auto'),
        target('stdio', program(SERVER, 'stdio'), 'auto'),
      ],
      // Each process has its own port and its own environment.
      sanitize: { names: ['port'], paths: [{ tool: 'get-env', path: 'result.content.0.text', as: 'any' }] },
    });
    expect(report.failures.map(({ id, candidate, differences }) => ({ id, candidate, differences }))).toEqual([]);
    expect([report.exitCode, report.harnessErrors, report.surface.filter(({ fails }) => fails)]).toEqual([0, [], []]);
    expect(called(report)).toEqual(CALLED);
    expect(report.noisy.map(({ group }) => group)).toEqual([
      'get-resource-reference',
      'resource demo://resource/dynamic/text/1',
    ]);
    expect(report.notCompared.map(({ group }) => group)).toContain('toggle-simulated-logging');
  });
});
