/** What the program says, and ends with, before it has asked anybody anything. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { mcpParity } from '../../../cli/parity/command.ts';
import { openLines, writeReport } from '../../../cli/parity/report/files.ts';
import { sessionHints } from '../../../cli/parity/report/hint.ts';
import { nothingAsked } from '../../../cli/parity/run/nothing-asked.ts';
import type { Failure } from '../../../cli/parity/run/report.ts';

// Nothing listens there: a run that came as far as connecting would say so on standard output.
const TARGETS = ['--control', 'http://127.0.0.1:1/', '--candidate', 'http://127.0.0.1:1/', '--quiet'];

async function parity(...args: readonly string[]) {
  const said = { stdout: '', stderr: '' };
  const out = (text: string): void => void (said.stdout += text);
  const error = (text: string): void => void (said.stderr += text);
  return { code: await mcpParity(args, { out, error, colour: false }), ...said };
}

let folder: string;
const fileIn = (name: string): string => path.join(folder, name);
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'parity-'));
  await writeFile(fileIn('file'), 'x');
  await writeFile(fileIn('empty'), '');
  await writeFile(fileIn('config.yaml'), 'colour: red\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a file that cannot be used', () => {
  it.for([
    ['--recorded', 'missing', 'ENOENT'],
    ['--recorded', '', 'is a directory. Give a file with one recorded call a line.'],
    ['--recorded', 'empty', 'holds no call'],
    ['--recorded', 'file', 'is no JSON'],
    ['--config', 'config.yaml', 'additional properties: colour'],
    ...['json', 'ndjson', 'junit', 'markdown', 'html', 'certificate'].flatMap((kind) => [
      [`--${kind}`, '', 'is a directory. Give the name of a file'],
      [`--${kind}`, 'new/', 'is a directory. Give the name of a file'],
      [`--${kind}`, 'file/report', 'Give a file in a folder that you may write to.'],
    ]),
  ] as [string, string, string][])(
    '%s %s ends with 2 before anything is asked',
    async ([flag, name, said], { expect }) => {
      const { code, stdout, stderr } = await parity(...TARGETS, flag, `${folder}/${name}`);
      expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(said)]);
      expect(stderr).toContain(folder);
      expect(stderr).not.toContain('    at ');
    },
  );

  it('is told by its name when it cannot be written any more', async ({ expect }) => {
    const said = /file.report cannot be written: .*Give a file in a folder/;
    await expect(writeReport(fileIn('file/report'), 'x')).rejects.toThrow(said);
    await expect(openLines(fileIn('file/report')).end()).rejects.toThrow(said);
  });
});

describe('the program', () => {
  it('ends with 2 and a message whatever is thrown', async ({ expect }) => {
    let stderr = '';
    const out = (): void => {
      throw new Error('the pipe is closed');
    };
    const code = await mcpParity(['--help'], { out, error: (text) => void (stderr += text), colour: false });
    expect([code, stderr]).toEqual([2, 'mcp-parity failed: the pipe is closed\n']);
  });

  it('says its version', async ({ expect }) => {
    expect(await parity('--version')).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: '',
    });
  });
});

describe('a run that asks nothing', () => {
  const every = { only: [], skip: [], allowWrites: false };
  const tools = ['add', 'write'];

  it.for([
    [{ just: { caseId: 'zzz#3' } }, '--case zzz#3 is of no tool there is. The control lists add, write'],
    [{ just: { caseId: 'write#3' } }, '--case write#3 was not asked: it may write'],
    [
      { just: { caseId: 'add#400' } },
      '--case add#400 is not among the generated calls of add. Give the --cases (here 300)',
    ],
    [{ selection: { ...every, only: ['nosuch'] } }, 'nothing is left by --only nosuch. The control lists add, write'],
    [{ selection: { ...every, skip: ['*'] } }, 'nothing is left by --skip *. '],
    [{ cases: 0 }, '--cases 0 generates no call'],
    [{}, 'no call could be made. "Not compared" says why'],
  ] as const)('with %o says why', ([options, said], { expect }) => {
    const asked = { cases: 300, selection: every, ...options };
    expect(nothingAsked(asked, tools, [{ group: 'write', reason: 'it may write' }])).toContain(said);
  });
});

describe('a run against a server', () => {
  const answers: Record<string, unknown> = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'small', version: '1' },
    },
    'tools/list': {
      tools: ['add', 'write'].map((name) => ({
        name,
        inputSchema: { type: 'object' },
        ...(name === 'add' && { annotations: { readOnlyHint: true } }),
      })),
    },
    'resources/list': { resources: [] },
    'resources/templates/list': { resourceTemplates: [] },
    'prompts/list': { prompts: [] },
  };
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { id, method = '' } = JSON.parse(body === '' ? '{}' : body) as { id?: number; method?: string };
      if (id === undefined) return response.writeHead(202).end();
      const result = answers[method] ?? { content: [] };
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  });
  let url: string;
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it.for([
    [['--case', 'zzz#3'], 'Ended early: --case zzz#3 is of no tool there is. The control lists add, write.'],
    [['--case', 'write#3'], 'Ended early: --case write#3 was not asked: it has no annotations'],
    [['--only', 'nosuch'], 'Ended early: nothing is left by --only nosuch. The control lists add, write.'],
  ] as const)('with %o ends with 2 and says why', async ([args, said], { expect }) => {
    const eras = ['--control-era', '2025', '--candidate-era', '2025'];
    const { code, stdout } = await parity(
      ...eras,
      '--control',
      url,
      '--candidate',
      url,
      '--quiet',
      '--seed',
      '7',
      ...args,
    );
    expect([code, stdout]).toEqual([2, expect.stringContaining(said)]);
  });
});

describe('the hint at a value of the session', () => {
  const OLD = 'h_AAAAAAAAAAAAAAAAAAAAAAAAAAA';
  const NEW = 'h_BBBBBBBBBBBBBBBBBBBBBBBBBBB';
  const differing = (...differences: Failure['differences']): Failure =>
    ({ group: 'getCounter', differences }) as unknown as Failure;
  const handle = { path: 'result.structuredContent.handle', control: OLD, candidate: NEW };

  it('names the form where a tool differs in one key alone', ({ expect }) => {
    const inText = { path: 'result.content.0.text.handle', control: OLD, candidate: NEW };
    expect(sessionHints([differing(handle, inText), differing(handle)])).toEqual([
      'getCounter differs in handle alone. If this differs between sessions, try --sanitize handle.',
    ]);
  });

  it('names the flag that works for a candidate that is slower', ({ expect }) => {
    const slow = { path: 'time', control: '1.0 ms', candidate: '1723.4 ms' };
    expect(sessionHints([differing(slow)])).toEqual([
      'getCounter is slower on the candidate. If that may be, try --slower-by 2000.',
    ]);
  });

  it('says nothing where more differs, or where the form would not make it equal', ({ expect }) => {
    const value = { path: 'result.structuredContent.value', control: 1, candidate: 2 };
    expect(sessionHints([differing(handle), differing(value)])).toEqual([]);
    expect(sessionHints([differing({ ...handle, candidate: 'none' })])).toEqual([]);
    expect(sessionHints([differing({ ...handle, candidate: 3 })])).toEqual([]);
  });
});
