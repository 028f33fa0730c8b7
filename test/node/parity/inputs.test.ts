/** What the command reads: targets, flags, configuration, scenarios and recordings, and what it says of wrong ones. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { recordedCases } from '../../../cli/parity/cases/recorded.ts';
import { admit } from '../../../cli/parity/cases/safety.ts';
import { callOf, readScenarios, valueAt, withNames } from '../../../cli/parity/cases/scenario.ts';
import type { RunFlags } from '../../../cli/parity/flags.ts';
import { readOptions } from '../../../cli/parity/read-options.ts';
import { addressText, readAddress } from '../../../cli/parity/targets/target.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'parity-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
const file = async (name: string, text: string): Promise<string> => {
  const at = path.join(folder, name);
  await writeFile(at, text);
  return at;
};
const read = (flags: RunFlags) => readOptions(flags, () => 42);
const TWO = { control: 'http://a/mcp', candidate: ['http://b/mcp'] } as const;

describe('a target', () => {
  it.for([
    ['https://x/mcp', { kind: 'http', url: 'https://x/mcp' }],
    ['sse:https://x/sse', { kind: 'sse', url: 'https://x/sse' }],
    [
      `stdio:node s.js --name "two words" 'a"b' c\\ d`,
      { kind: 'stdio', command: ['node', 's.js', '--name', 'two words', 'a"b', 'c d'] },
    ],
    [
      String.raw`stdio:"C:\Program Files\nodejs\node.exe" C:\servers\new\server.js --out D:\x\ y`,
      {
        kind: 'stdio',
        command: [
          String.raw`C:\Program Files\nodejs\node.exe`,
          String.raw`C:\servers\new\server.js`,
          '--out',
          String.raw`D:\x y`,
        ],
      },
    ],
    [
      String.raw`stdio:\\host\share\run.exe "\\host\two words\s.js" a\\b`,
      {
        kind: 'stdio',
        command: [String.raw`\\host\share\run.exe`, String.raw`\\host\two words\s.js`, String.raw`a\b`],
      },
    ],
  ] as const)('is read from %s', ([text, address], { expect }) => {
    expect(readAddress(text)).toEqual({ ok: true, address });
    expect(readAddress(addressText(address))).toEqual({ ok: true, address });
  });

  it.for(['', 'x', 'ftp://x', 'stdio:', 'sse:x'])('is refused: "%s"', (text, { expect }) => {
    expect(readAddress(text).ok).toBe(false);
  });
});

describe('flags', () => {
  it('have the documented defaults', async ({ expect }) => {
    const { options, targets } = await read(TWO);
    expect(options).toMatchObject({ cases: 300, seed: 42, concurrency: 16, timeoutMs: 30_000, failOn: 'non-breaking' });
    expect(options.selection).toEqual({ only: [], skip: [], allowWrites: false });
    expect(targets?.control).toEqual({
      name: 'control',
      address: { kind: 'http', url: 'http://a/mcp' },
      era: 'auto',
      headers: {},
    });
  });

  it('go to the candidates in their order, and one alone to all', async ({ expect }) => {
    const flags = {
      ...TWO,
      candidate: ['http://b/', 'http://c/'],
      candidateEra: ['2025', '2026'],
      candidateBearerEnv: ['TOKEN'],
    } as const;
    const { targets } = await read(flags);
    expect(targets?.candidates.map(({ name, era, bearerEnv }) => [name, era, bearerEnv])).toEqual([
      ['candidate 1', '2025', 'TOKEN'],
      ['candidate 2', '2026', 'TOKEN'],
    ]);
  });

  it('win over the configuration file', async ({ expect }) => {
    const config = await file(
      'config.yaml',
      'control: { url: http://file/mcp, name: old }\ncandidates: [{ command: [node, s.js], era: "2026" }]\ncases: 5\nseed: 9\nsanitizePaths: [{ path: result.at }]\n',
    );
    const { options, targets } = await read({ config, cases: 7 });
    expect([options.cases, options.seed]).toEqual([7, 9]);
    expect(targets?.control.name).toBe('old');
    expect(targets?.candidates[0]?.address).toEqual({ kind: 'stdio', command: ['node', 's.js'] });
    expect(options.sanitize.paths).toEqual([{ path: 'result.at', as: 'any' }]);
  });

  it.for([
    [{ control: 'http://a/' }, 'no candidate'],
    [{ candidate: ['http://a/'] }, 'no control'],
    [{ ...TWO, candidateName: ['control'] }, 'Two targets have one name'],
    [{ ...TWO, sanitize: ['nothing'] }, 'No sanitizer is called nothing'],
    [{ ...TWO, call: 'x' }, '--call takes JSON'],
    [{ ...TWO, case: 'add#1' }, '--case needs the --seed'],
    [{ ...TWO, controlHeader: ['secret'] }, 'A header is "Name: value"'],
    [{ ...TWO, config: 'no-such-file' }, 'could not be read'],
  ] as const)('are refused: %o', async ([flags, said], { expect }) => {
    await expect(read(flags)).rejects.toThrow(said);
  });

  it('are refused with a file that its schema refuses', async ({ expect }) => {
    await expect(read({ config: await file('bad.yaml', 'case: 5\n') })).rejects.toThrow(
      'must NOT have additional properties',
    );
    await expect(
      read({ ...TWO, allowed: await file('allowed.yaml', '- { id: a, where: t, path: p }\n') }),
    ).rejects.toThrow("'reason'");
    const until = await file('until.yaml', '- { id: a, where: t, path: p, reason: r, until: soon }\n');
    await expect(read({ ...TWO, allowed: until })).rejects.toThrow('format "date"');
  });
});

describe('safety', () => {
  const selection = { only: [], skip: [], allowWrites: false };
  it.for([
    [{ annotations: { readOnlyHint: true } }, true],
    [{ annotations: { idempotentHint: true } }, true],
    [{ annotations: { readOnlyHint: false } }, false],
    [{ annotations: {} }, false],
    [{}, false],
  ] as const)('of %o', ([tool, safe], { expect }) => {
    expect(admit('t', [tool], selection).call).toBe(safe);
    expect(admit('t', [tool], { ...selection, allowWrites: true })).toMatchObject({ call: true, fresh: !safe });
  });

  it('is what every target says, and only and skip choose', ({ expect }) => {
    const tool = { annotations: { readOnlyHint: true } };
    expect(admit('t', [tool, {}], selection).call).toBe(false);
    expect(admit('t', [tool], { ...selection, only: ['x*'] }).call).toBe(false);
    expect(admit('t', [tool], { ...selection, skip: ['t'] }).call).toBe(false);
  });
});

describe('a scenario', () => {
  it('passes on what it captured, with its type', ({ expect }) => {
    const captured = new Map<string, unknown>([
      ['n', 5],
      ['h', 'handle-1'],
    ]) as Map<string, never>;
    expect(callOf({ tool: 't', arguments: { a: '${n}', b: 'x ${h} ${n}', c: ['${none}'] } }, captured)).toEqual({
      method: 'tools/call',
      params: { name: 't', arguments: { a: 5, b: 'x handle-1 5', c: ['${none}'] } },
    });
    expect(callOf({ resource: 'r://${h}' }, captured)).toEqual({
      method: 'resources/read',
      params: { uri: 'r://handle-1' },
    });
    expect(withNames({ kind: 'result', result: { at: 'see handle-1' } }, captured)).toEqual({
      kind: 'result',
      result: { at: 'see <h>' },
    });
  });

  it('looks into JSON texts', ({ expect }) => {
    const saw = { kind: 'result' as const, result: { content: [{ text: '{"a":{"b":1}}' }] } };
    expect(valueAt(saw, 'result.content.0.text.a.b')).toBe(1);
    expect(valueAt(saw, 'result.content.1')).toBeUndefined();
  });

  it.for(['name: x\nsteps: []', 'name: x\nsteps: [{ tool: a, prompt: b }]', 'steps: [{ tool: a }]', '{'])(
    'is refused: %s',
    (text, { expect }) => {
      expect(readScenarios(text, 'f.yaml').ok).toBe(false);
    },
  );
});

describe('a recording', () => {
  const calls = async (text: string): Promise<unknown[]> => {
    const found: unknown[] = [];
    for await (const { group, call } of recordedCases(await file('calls.ndjson', text))) found.push([group, call]);
    return found;
  };

  it('holds calls in two forms, and passes over the rest of a log', async ({ expect }) => {
    const lines = [
      { tool: 'add', arguments: { a: 1 } },
      { jsonrpc: '2.0', id: 0, method: 'initialize', params: {} },
      { method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 2, method: 'resources/read', params: { uri: 'a://b', _meta: { x: 1 } } },
    ];
    expect(await calls(`${lines.map((each) => JSON.stringify(each)).join('\n')}\n\n`)).toEqual([
      ['add', { method: 'tools/call', params: { name: 'add', arguments: { a: 1 } } }],
      ['resource a://b', { method: 'resources/read', params: { uri: 'a://b' } }],
    ]);
  });

  it.for([
    ['{', 'calls.ndjson:1 is no JSON'],
    ['{"tool":"a"}\n{"x":1}', 'calls.ndjson:2 has neither "tool" nor "method"'],
    ['', 'holds no call'],
  ] as const)('is refused: %s', async ([text, said], { expect }) => {
    await expect(calls(text)).rejects.toThrow(said);
  });
});
