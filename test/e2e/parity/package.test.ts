/**
 * The package as it is published: packed, installed outside of the repository with nothing else, and run there by hand's
 * way, `npx`, as the shell's completion has it, and from a configuration file.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { PROJECT_ROOT } from '../../../scripts/lib/wrangler.ts';
import { startCopy } from './support/copy-server.ts';
import { faultNamed } from './support/faults.ts';

const run = promisify(execFile);
const PACKAGE = path.join(PROJECT_ROOT, 'packages/mcp-parity');
let folder = '';
let tarball = '';

/** As where it is installed: nothing of this project is on the way to a program. */
async function inFolder(command: string, ...args: readonly string[]) {
  const env = { ...process.env, npm_config_offline: 'true', NO_COLOR: '1', MCP_PARITY_KEY: 'k'.repeat(32) };
  try {
    const { stdout, stderr } = await run(command, args, { cwd: folder, env, maxBuffer: 2 ** 26 });
    return { code: 0, stdout, stderr };
  } catch (thrown) {
    const { code, stdout = '', stderr = '' } = thrown as { code?: number; stdout?: string; stderr?: string };
    return { code, stdout, stderr };
  }
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mcp-parity-package-'));
  const packed = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: PACKAGE });
  const begin = packed.stdout.indexOf('[\n');
  const [made] = JSON.parse(packed.stdout.slice(begin)) as [{ filename: string }];
  tarball = path.join(folder, made.filename);
  await writeFile(path.join(folder, 'package.json'), '{"private":true}\n');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: folder });
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the package', () => {
  it('is small, and brings nothing with it', async ({ expect }) => {
    expect((await stat(tarball)).size).toBeLessThan(400_000);
    const { stdout } = await inFolder('npm', 'ls', '--all', '--parseable');
    const installed = stdout.trim().split('\n').slice(1);
    expect(installed.map((each) => path.basename(each))).toEqual(['mcp-parity']);
    const manifest = JSON.parse(await readFile(path.join(folder, 'node_modules/mcp-parity/package.json'), 'utf8')) as {
      dependencies?: object;
    };
    expect(manifest.dependencies).toBeUndefined();
    for (const file of ['README.md', 'LICENSE', 'schema/config.schema.json', 'schema/certificate.schema.json'])
      expect((await stat(path.join(folder, 'node_modules/mcp-parity', file))).size).toBeGreaterThan(100);
  });

  it('says its version, and completes flags and their values in a shell', async ({ expect }) => {
    const { version } = JSON.parse(await readFile(path.join(PACKAGE, 'package.json'), 'utf8')) as { version: string };
    expect(await inFolder('npx', 'mcp-parity', '--version')).toMatchObject({ code: 0, stdout: `${version}\n` });
    const { stdout: script } = await inFolder('npx', 'mcp-parity', 'completion', 'bash');
    const complete = async (...words: readonly string[]): Promise<readonly string[]> => {
      const line = [
        script,
        `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}`,
        '_mcp_parity; printf \'%s\\n\' "${COMPREPLY[@]}"',
      ].join('\n');
      return (await inFolder('bash', '-c', line)).stdout.trim().split('\n');
    };
    expect(await complete('mcp-parity', 'ver')).toEqual(['verify']);
    expect(await complete('mcp-parity', 'verify', '--min')).toEqual(['--min-succeeded']);
    expect(await complete('mcp-parity', 'run', '--control-era', '20')).toEqual(['2025', '2026']);
    expect(await inFolder('npx', 'mcp-parity', 'completion', 'csh')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('bash, zsh, fish'),
    });
  });

  it('compares by a configuration file, and verifies the certificate', async ({ expect }) => {
    await using control = await startCopy();
    await using same = await startCopy();
    await using other = await startCopy(faultNamed('dropped field'));
    const config = (candidate: string): string =>
      [
        `control: { name: old, url: "${control.url}", era: "2025" }`,
        `candidates: [{ name: new, url: "${candidate}", era: "2025" }]`,
        'only: [lookup]',
        'cases: 200',
        'reports: { certificate: parity.json, html: report.html }',
      ].join('\n');
    await writeFile(path.join(folder, 'parity.yaml'), config(same.url));
    expect(await inFolder('npx', 'mcp-parity', 'run', '--config', 'parity.yaml', '--seed', '7')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^old and new answer the same/),
    });
    const verify = ['mcp-parity', 'verify', 'parity.json', '--min-succeeded', '1', '--live'];
    const listed = [
      'add',
      'ping',
      'search',
      'readDocument',
      'qrCode',
      'incrementCounter',
      'getCounter',
      'resetCounter',
    ];
    expect(await inFolder('npx', ...verify, '--exempt', listed.join(','))).toEqual({
      ...{ code: 0, stdout: 'The certificate is good.\n', stderr: '' },
    });
    await writeFile(path.join(folder, 'parity.yaml'), config(other.url));
    expect(await inFolder('npx', 'mcp-parity', 'run', '--config', 'parity.yaml')).toMatchObject({ code: 1 });
  });
});
