/**
 * A certificate of `mcp-parity` as a condition of `set` and `ramp`: made by a real run over the two lanes of a small
 * server, signed, and held against what that server answers at the step. The flag is in memory and the audit log left out.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, beforeEach, describe, it } from 'vitest';
import { cutover, type Printed } from '../../../cli/cutover/command.ts';
import { signed } from '../../../cli/parity/certificate/sign.ts';
import { mcpParity } from '../../../cli/parity/command.ts';
import type { Certificate } from '../../../src/parity/certificate.ts';
import { startTwoLanes, type TwoLanes } from '../../support/two-lanes.ts';

const HOUR_MS = 3_600_000;
const KEY = 'a key of an operator, 32 characters';
let folder = '';
let server: TwoLanes;
let good: Certificate;
let file = '';
let writes = 0;

async function compare(...more: string[]): Promise<{ code: number; said: string }> {
  let said = '';
  const terminal = { out: (text: string) => void (said += text), error: (text: string) => void (said += text) };
  const eras = ['--control-era', '2025', '--candidate-era', '2025'];
  const targets = ['--control', `${server.url}/legacy/mcp`, '--candidate', `${server.url}/mcp`];
  process.env['CERTIFICATE_TEST_KEY'] = KEY;
  const signing = ['--key-env', 'CERTIFICATE_TEST_KEY', '--step', 'legacy stateless'];
  const code = await mcpParity([...targets, ...eras, ...signing, '--quiet', '--certificate', file, ...more], {
    ...terminal,
    colour: false,
  });
  delete process.env['CERTIFICATE_TEST_KEY'];
  return { code, said };
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'certificate-'));
  file = path.join(folder, 'parity.json');
  server = await startTwoLanes();
  const { code, said } = await compare('--seed', '7');
  if (code !== 0) throw new Error(said);
  good = JSON.parse(await readFile(file, 'utf8')) as Certificate;
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  Object.assign(server, { version: '1.0.0', description: 'Adds two whole numbers.' });
  Object.assign(server.lanes, { '/legacy/mcp': 'legacy', '/mcp': 'compat' });
  writes = 0;
});

/** As it would be had the run been then, and had seen this: signed again, and its table no help. */
async function write(hoursOld: number, over: Partial<Certificate> = {}): Promise<void> {
  const date = new Date(Date.now() - hoursOld * HOUR_MS).toISOString();
  const table = { ...good.table, file: over.tools === undefined ? good.table.file : 'none.ndjson' };
  await writeFile(file, JSON.stringify(signed({ ...good, date, table, ...over }, KEY)));
}

const flag = { key: 'legacy-route', enabled: true, default_variation: 'legacy', rules: [] };
const variations = { legacy: 'legacy', shadow: 'shadow', stateless: 'stateless', gone: 'gone' };
const COMMANDS = [
  ['ramp', 'legacy', 'stateless', '5'],
  ['set', 'legacy', 'stateless'],
] as const;

const at = (command: readonly string[], ...more: string[]): Promise<Printed> =>
  atWith({ MCP_PARITY_KEY: KEY }, command, ...more);
const atWith = (env: Record<string, string>, command: readonly string[], ...more: string[]): Promise<Printed> =>
  cutover(
    [
      ...command,
      '--no-audit',
      '--early',
      'a test',
      '--why',
      'a test',
      '--local',
      '--persist-to',
      folder,
      '--url',
      server.url,
      ...more,
    ],
    {
      env,
      run: async (args) => {
        const isList = args[2] === 'list';
        if (!isList) writes += 1;
        const stored = { ...flag, variations };
        return { code: 0, out: JSON.stringify(isList ? { items: [stored] } : stored), complaint: '' };
      },
    },
  );

describe.for(COMMANDS)('%s', (command) => {
  it('goes on with a good certificate of this week, and without one', async ({ expect }) => {
    await write(6.9 * 24);
    expect(await at(command, '--certificate', file)).toMatchObject({ exitCode: 0 });
    expect(await at(command)).toMatchObject({ exitCode: 0 });
    expect(writes).toBe(2);
  });

  const tool = () => good.tools[0]!;
  it.for<[string, number, () => Partial<Certificate>, string[], string]>([
    ['a week is over', 7.1 * 24, () => ({}), [], 'It is 170.4 hours old.'],
    ['it is older than demanded', 3, () => ({}), ['--max-age', '2'], 'It is 3.0 hours old.'],
    ['something differed', 1, () => ({ equal: false }), [], 'The run that it certifies found differences'],
    [
      'too little succeeded',
      1,
      () => ({ tools: [{ ...tool(), succeeded: 10 }] }),
      [],
      'add: 10 distinct inputs succeeded',
    ],
    [
      'a tool never succeeded',
      1,
      () => ({ tools: [{ ...tool(), succeeded: 0 }] }),
      [],
      'Never succeeded on the control: add.',
    ],
    ['a tool is missing', 1, () => ({ notCompared: [{ tool: 'put', reason: 'writes' }] }), [], 'Not compared: put.'],
    ['it is for another step', 1, () => ({ step: 'mcp stateless' }), [], 'It is for the step "mcp stateless"'],
    [
      'it compared other lanes',
      1,
      () => ({ candidate: { ...good.candidate, lane: 'modern' } }),
      [],
      'It compares legacy with modern, and this step moves clients from legacy to compat.',
    ],
    [
      'it compared another Worker',
      1,
      () => ({ control: { ...good.control, address: 'http://127.0.0.1:1/legacy/mcp' } }),
      [],
      'http://127.0.0.1:1',
    ],
  ])('refuses where %s', async ([, hoursOld, over, more, reason], { expect }) => {
    await write(hoursOld, over());
    const { exitCode, error } = await at(command, '--certificate', file, ...more);
    expect(writes).toBe(0);
    expect(error).toContain(reason);
    // A Worker that is not there is no answer at all, and every other refusal is one.
    if (reason.startsWith('http')) return expect(exitCode).toBe(2);
    expect(exitCode).toBe(1);
    expect(error).toContain(`The certificate ${file} is not good enough: ${reason}`);
    expect(error).toContain('\nCompare these two lanes for this step: npm run parity -- run --step "legacy stateless"');
    expect((await at(command, '--certificate', file, '--dry-run', ...more)).exitCode).toBe(1);
  });

  it.for([
    ['the version', { version: '1.0.1' }, 'The control is now two-lanes 1.0.1, and two-lanes 1.0.0 was compared.'],
    ['the catalogue', { description: 'Adds.' }, 'The control now lists another catalogue than the one compared.'],
  ] as const)('refuses where %s is another now', async ([, over, reason], { expect }) => {
    await write(1);
    Object.assign(server, over);
    expect(await at(command, '--certificate', file)).toMatchObject({
      exitCode: 1,
      error: expect.stringContaining(reason),
    });
    expect(writes).toBe(0);
  });

  it('refuses one that was edited by hand, and one that nobody can check', async ({ expect }) => {
    await write(1);
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('"mismatches":0', '"mismatches":1'));
    expect((await at(command, '--certificate', file)).error).toContain('Its signature does not fit: it was edited');
    await writeFile(file, text);
    expect((await atWith({}, command, '--certificate', file)).error).toContain('Put the key into MCP_PARITY_KEY');
    await writeFile(file, JSON.stringify({ ...good, signature: undefined }));
    expect((await at(command, '--certificate', file)).error).toContain('It is not signed');
    await writeFile(file, text.replace('certificate/2', 'certificate/1'));
    expect((await at(command, '--certificate', file)).error).toContain('earlier form (mcp-parity-certificate/1)');
    expect(writes).toBe(0);
  });

  it('refuses a file that is no certificate', async ({ expect }) => {
    await writeFile(file, '{"equal":true}');
    expect(await at(command, '--certificate', file)).toMatchObject({
      exitCode: 1,
      error: expect.stringContaining('It is no parity certificate'),
    });
    expect(writes).toBe(0);
  });

  it.for([
    [['--certificate', 'nothing.json'], 'The certificate nothing.json cannot be read: ENOENT'],
    [['--max-age', '24'], '--max-age, --min-succeeded, --exempt and --bearer-env are about a certificate'],
    [['--certificate', 'package.json', '--min-succeeded', 'a=b'], '--min-succeeded "a=b" is not understood'],
    [['--certificate', 'package.json', '--max-age', '0'], '--max-age "0" is no number of hours above 0'],
    [['--certificate', 'package.json', '--max-age', 'week'], '--max-age "week" is no number of hours above 0'],
  ] as const)('cannot go on with %o', async ([more, error], { expect }) => {
    expect(await at(command, ...more)).toMatchObject({ exitCode: 2, error: expect.stringContaining(error) });
    expect(writes).toBe(0);
  });

  it('says so in its help', async ({ expect }) => {
    const { out } = await cutover([command[0], '--help'], { env: {} });
    expect(out).toMatch(/--certificate <file>[\s\S]*--max-age <hours>[\s\S]*168[\s\S]*--exempt <tools>/);
  });
});

describe('a certificate', () => {
  it('of the control with itself is not written', async ({ expect }) => {
    const { code, said } = await compare(
      '--candidate',
      `${server.url}/legacy/mcp`,
      '--candidate-name',
      'other',
      '--candidate-name',
      'itself',
      '--cases',
      '30',
    );
    expect(code).toBe(0);
    expect(said).toContain('No certificate for itself: it is the control itself');
    const lanes = JSON.parse(await readFile(path.join(folder, 'parity-other.json'), 'utf8')) as Certificate;
    expect([lanes.control.lane, lanes.candidate.lane]).toEqual(['legacy', 'compat']);
  });

  it('is asked for by no step that moves nobody', async ({ expect }) => {
    await write(1);
    expect(await at(['set', 'legacy', 'shadow'], '--certificate', file)).toMatchObject({
      exitCode: 2,
      error: expect.stringContaining('The step "legacy shadow" moves nobody to another lane'),
    });
  });
});
