/**
 * Whatever happens a report is written, and whatever a server does with what it was sent, no output tells a secret and no
 * other server gets one.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { mcpParity } from '../../../cli/parity/command.ts';
import type { RunReport } from '../../../cli/parity/run/report.ts';
import { compileSchema } from '../../../cli/parity/validate.ts';
import reportSchema from '../../../cli/parity/schema/report.schema.json' with { type: 'json' };
import type { Json } from '../../../src/shared/json.ts';
import { json, startBad } from './support/bad-servers.ts';
import { startHttp } from './support/copy-server.ts';
import { NODE, programOf } from './support/hostile.ts';

const TOKEN = 'tok-7f3a"9c/e1=d';
const API_KEY = 'key-of-the-team-0815';
const LAUNCHER = path.resolve(import.meta.dirname, '../../../packages/mcp-parity/mcp-parity.js');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'parity-'));
  process.env['PARITY_TEST_TOKEN'] = TOKEN;
});
afterAll(async () => {
  delete process.env['PARITY_TEST_TOKEN'];
  await rm(folder, { recursive: true, force: true });
});

const KINDS = ['json', 'ndjson', 'junit', 'markdown', 'html'] as const;
const filesIn = (name: string): readonly string[] =>
  KINDS.flatMap((kind) => [`--${kind}`, path.join(folder, `${name}.${kind}`)]);
const readAll = (name: string): Promise<readonly string[]> =>
  Promise.all(KINDS.map((kind) => readFile(path.join(folder, `${name}.${kind}`), 'utf8')));

async function inProcess(...args: readonly string[]) {
  let said = '';
  const add = (text: string): void => void (said += text);
  const code = await mcpParity([...args, '--quiet'], { out: add, error: add, colour: false });
  return { code, said };
}

describe.concurrent('a secret', () => {
  it('stands in no output, though the server says it in every form', async ({ expect }) => {
    const forms = (text: string): string =>
      [text, JSON.stringify(text), encodeURIComponent(text), Buffer.from(text).toString('base64')].join(' ');
    await using control = await startBad();
    await using candidate = await startBad({
      first: (response, message, request) => {
        if (message['method'] !== 'tools/call') return false;
        const said = Object.entries(request.headers).map(([name, value]) => `${name}=${forms(String(value))}`);
        json(response, 200, {
          jsonrpc: '2.0',
          id: message['id'],
          result: { content: [{ type: 'text', text: said.join('\n') }] },
        });
        return true;
      },
    });
    const secrets = ['--candidate-bearer-env', 'PARITY_TEST_TOKEN', '--candidate-header', `X-Api-Key: ${API_KEY}`];
    const { code, said } = await inProcess(
      ...['--control', control.url, '--candidate', candidate.url, '--cases', '6'],
      ...secrets,
      ...filesIn('secret'),
    );
    expect(code).toBe(1);
    const outputs = [said, ...(await readAll('secret'))];
    expect(outputs.length).toBe(6);
    for (const output of outputs) {
      expect(output).toMatch(/(?:<|&lt;)hidden/);
      for (const part of ['tok-7f3a', '9c/e1', 'key-of-the', encodeURIComponent(TOKEN).slice(0, 10), 'a2V5LW9mLXRo'])
        expect(output).not.toContain(part);
    }
  });

  it('is in no environment of a program that was not given it by name', async ({ expect }) => {
    const program = programOf(
      `call = () => ({ content: [{ type: 'text', text: String(process.env.PARITY_TEST_TOKEN?.length) + ' ' + typeof process.env.PATH }] });`,
    );
    const file = path.join(folder, 'env.yaml');
    const target = (name: string, more: object): object => ({
      name,
      command: [NODE, '-e', program],
      era: '2025',
      ...more,
    });
    await writeFile(
      file,
      JSON.stringify({
        control: target('without', {}),
        candidates: [target('with', { passEnv: ['PARITY_TEST_TOKEN'] })],
      }),
    );
    const { code, said } = await inProcess('--config', file, '--cases', '4');
    expect(code).toBe(1);
    expect(said).toContain('without  "undefined string"');
    expect(said).toContain(`with     "${TOKEN.length} string"`);
  });

  it.for([
    ['a redirect of a call', 307, 'tools/call'],
    ['a redirect of the session', 308, 'initialize'],
    ['the endpoint of an event stream', 405, 'initialize'],
  ] as const)('goes to no other server by %s', async ([, status, method], { expect }) => {
    const heard: string[] = [];
    await using elsewhere = await startHttp((_message, response, request) => {
      heard.push(JSON.stringify(request.headers));
      response.writeHead(200).end();
    });
    await using control = await startBad();
    await using candidate = await startBad({
      first: (response, message, request) => {
        if (request.method === 'GET') {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.write(`event: endpoint\ndata: ${elsewhere.url}\n\n`);
          return true;
        }
        if (message['method'] !== method) return false;
        response.writeHead(status, { location: elsewhere.url }).end();
        return true;
      },
    });
    const { code, said } = await inProcess(
      ...['--control', control.url, '--candidate', candidate.url, '--cases', '4', '--candidate-era', '2025'],
      ...['--candidate-bearer-env', 'PARITY_TEST_TOKEN', '--candidate-header', `X-Api-Key: ${API_KEY}`],
    );
    expect([code, heard]).toEqual([2, []]);
    expect(said).toMatch(/which is not followed|nothing is sent there/);
  });
});

describe.concurrent('a report is written', () => {
  it.for(['SIGINT', 'SIGTERM'] as const)('on %s, with what was seen until then', async (signal, { expect }) => {
    let calls = 0;
    let go: () => void = () => undefined;
    const halfWay = new Promise<void>((resolve) => {
      go = resolve;
    });
    await using control = await startBad();
    await using candidate = await startBad({
      onCall: (response, message) => {
        calls += 1;
        // The rest never comes, so without the signal the run would wait for a minute.
        if (calls > 60) return go();
        json(response, 200, {
          jsonrpc: '2.0',
          id: message['id'],
          result: { content: [{ type: 'text', text: JSON.stringify(message['params']) }] },
        });
      },
    });
    const file = path.join(folder, `${signal}.json`);
    const child = spawn(
      process.execPath,
      [
        LAUNCHER,
        '--control',
        control.url,
        '--candidate',
        candidate.url,
        '--cases',
        '100',
        '--json',
        file,
        '--quiet',
        '--timeout',
        '60000',
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    await halfWay;
    const signalledAt = performance.now();
    child.kill(signal);
    const [code] = (await once(child, 'close')) as [number];
    expect([code, performance.now() - signalledAt < 20_000]).toEqual([2, true]);
    expect(said).toContain(`Ended early: interrupted by ${signal}.`);
    const report = JSON.parse(await readFile(file, 'utf8')) as RunReport;
    const compiled = compileSchema(reportSchema);
    expect(compiled.ok && compiled.validate(report as unknown as Json)).toBeUndefined();
    expect([report.outcome, report.counts.match > 0, report.aborted]).toEqual([
      'could_not_run',
      true,
      `interrupted by ${signal}`,
    ]);
    expect(report.notCompared.map(({ group }) => group)).toContain('echo');
  });

  it('where a recording turns out to be none half-way', async ({ expect }) => {
    await using server = await startBad();
    await using other = await startBad();
    const file = path.join(folder, 'recorded.ndjson');
    const line = (text: string): string => JSON.stringify({ tool: 'echo', arguments: { text } });
    await writeFile(file, `${line('one')}\n${line('two')}\nno json\n`);
    const { code, said } = await inProcess(
      ...['--control', server.url, '--candidate', other.url, '--cases', '0', '--recorded', file],
      ...filesIn('half'),
    );
    expect([code, said]).toEqual([2, expect.stringContaining(`Ended early: ${file}:3 is no JSON`)]);
    expect(said).toContain('2 calls, 2 match');
    for (const each of await readAll('half')) expect(each).not.toBe('');
  });

  it('where one of the others cannot be written any more', async ({ expect }) => {
    await using server = await startBad();
    await using other = await startBad();
    const { code, said } = await inProcess(
      ...['--control', server.url, '--candidate', other.url, '--cases', '3', '--ndjson', '/dev/full'],
      ...['--json', path.join(folder, 'rest.json')],
    );
    expect([code, said]).toEqual([2, expect.stringContaining('/dev/full cannot be written')]);
    expect(JSON.parse(await readFile(path.join(folder, 'rest.json'), 'utf8'))).toMatchObject({
      format: 'mcp-parity-report/1',
    });
  });
});
