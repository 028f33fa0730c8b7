/** A certificate of `mcp-parity` as a condition of `set` and `ramp`, with a flag in memory and the audit log left out. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'vitest';
import { cutover, type Printed } from '../../../cli/cutover/command.ts';
import { certifiedTool, type Certificate } from '../../../src/parity/certificate.ts';

const HOUR_MS = 3_600_000;
const target = { name: 'x', address: 'http://x/mcp', era: '2025' as const, protocol: '2025-11-25', version: 'x 1' };
const toolOf = (distinctInputs: number, mismatches = 0) =>
  certifiedTool({ tool: 'add', calls: distinctInputs, distinctInputs, mismatches, noisyPaths: [] });

let folder = '';
let file = '';
let writes = 0;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'certificate-'));
  file = path.join(folder, 'parity.json');
  writes = 0;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(hoursOld: number, over: Partial<Certificate> = {}): Promise<void> {
  const certificate: Certificate = {
    format: 'mcp-parity-certificate/1',
    date: new Date(Date.now() - hoursOld * HOUR_MS).toISOString(),
    ...{ seed: 1, equal: true, notCompared: [], noisyTools: [], allowed: [] },
    control: { ...target, catalogueSha256: 'a'.repeat(64) },
    candidate: { ...target, catalogueSha256: 'b'.repeat(64) },
    tools: [toolOf(300)],
    ...over,
  };
  await writeFile(file, JSON.stringify(certificate));
}

const flag = { key: 'legacy-route', enabled: true, default_variation: 'legacy', rules: [] };
const variations = { legacy: 'legacy', shadow: 'shadow', stateless: 'stateless', gone: 'gone' };
const COMMANDS = [
  ['ramp', 'legacy', 'stateless', '5'],
  ['set', 'legacy', 'stateless'],
] as const;

const at = (command: readonly string[], ...more: string[]): Promise<Printed> =>
  cutover([...command, '--no-audit', '--why', 'a test', '--local', '--persist-to', folder, ...more], {
    env: {},
    run: async (args) => {
      const isList = args[2] === 'list';
      if (!isList) writes += 1;
      const stored = { ...flag, variations };
      return { code: 0, out: JSON.stringify(isList ? { items: [stored] } : stored), complaint: '' };
    },
  });

describe.for(COMMANDS)('%s', (command) => {
  it('goes on with a good certificate of this week, and without one', async ({ expect }) => {
    await write(6.9 * 24);
    expect(await at(command, '--certificate', file)).toMatchObject({ exitCode: 0 });
    expect(await at(command)).toMatchObject({ exitCode: 0 });
    expect(writes).toBe(2);
  });

  it.for<[string, number, Partial<Certificate>, string[], string]>([
    ['a week is over', 7.1 * 24, {}, [], 'It is 170.4 hours old.'],
    ['it is older than demanded', 3, {}, ['--max-age', '2'], 'It is 3.0 hours old.'],
    ['something differed', 1, { equal: false }, [], 'The run that it certifies found differences'],
    ['too little was compared', 1, { tools: [toolOf(10)] }, [], 'add: the mismatch rate can still be 25.89 %'],
    ['a tool is missing', 1, { notCompared: [{ tool: 'put', reason: 'writes' }] }, [], 'Not compared: put.'],
  ])('refuses where %s', async ([, hoursOld, over, more, reason], { expect }) => {
    await write(hoursOld, over);
    const { exitCode, error } = await at(command, '--certificate', file, ...more);
    expect({ exitCode, writes }).toEqual({ exitCode: 1, writes: 0 });
    expect(error).toContain(`The certificate ${file} is not good enough: ${reason}`);
    expect(error).toContain('\nCompare both lanes again: npm run parity -- run --certificate');
    expect((await at(command, '--certificate', file, '--dry-run', ...more)).exitCode).toBe(1);
  });

  it('takes a tool that need not have been compared', async ({ expect }) => {
    await write(1, { notCompared: [{ tool: 'put', reason: 'writes' }] });
    expect(await at(command, '--certificate', file, '--exempt', 'cut, put')).toMatchObject({ exitCode: 0 });
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
    [['--max-age', '24'], '--max-age and --exempt are about a certificate'],
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
