/**
 * The mutation table: a copy of our server against a copy with one fault. Every fault is found, named, and found nowhere
 * else; equal copies are equal, with their noise named. `npm run prove:parity` asks every tool, over more seeds and over
 * both transports.
 */
import process from 'node:process';
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { RunReport } from '../../../cli/parity/run/report.ts';
import type { Address } from '../../../cli/parity/targets/target.ts';
import { readScenarios } from '../../../cli/parity/cases/scenario.ts';
import { checkCertificate, type Demand } from '../../../src/parity/certificate.ts';
import { VerdictTable } from '../../../src/parity/verdict-table.ts';
import { isPlainObject } from '../../../src/shared/json.ts';
import { verdictLine } from '../../../cli/parity/certificate/table-file.ts';
import { certify } from '../../../cli/parity/report/certify.ts';
import { renderTable } from '../../../cli/parity/report/table.ts';
import { startCopy, type CopyServer } from './support/copy-server.ts';
import { faultNamed, FAULTS, sharedOut, toolsOf, type Fault } from './support/faults.ts';
import { at, compareTwo, COPY_SERVER, program, target } from './support/run.ts';

const ANY: Demand = {
  ...{ now: new Date(8.64e15), maxAgeMs: Infinity, least: { usual: 1, of: {} }, takesUnsigned: true },
  signature: 'good',
};
const THOROUGH = process.env['PARITY_SEEDS'] !== undefined;
const SEEDS = Array.from({ length: Number(process.env['PARITY_SEEDS'] ?? 1) }, (_each, at) => at + 1);
const CASES = THOROUGH ? 60 : 20;
/** Starting a program costs a second, so the quick table takes one fault of each kind: an answer, a listing, a silence. */
const QUICK_ON_STDIO = new Set(['dropped field', 'swapped description', 'crash at one input', 'doubled answer']);
const ON_STDIO = FAULTS.filter(
  ({ name, http, sessionOf }) =>
    http === undefined && sessionOf === undefined && (THOROUGH || QUICK_ON_STDIO.has(name)),
);
/** The whole table puts one fault into a server; the quick one as many as show in tools of their own. */
const serversOf = (faults: readonly Fault[]): { name: string; faults: readonly Fault[] }[] =>
  (THOROUGH ? faults.map((fault) => [fault]) : sharedOut(faults)).map((some) => ({
    name: some.map(({ name }) => name).join('; '),
    faults: some,
  }));

/** What a report names beside the faults; none of it may be there. */
function falseAlarms(report: RunReport, faults: readonly Fault[]): readonly string[] {
  const known = new Set(faults.flatMap(({ where, also = [] }) => [where.replace('tool ', ''), ...also]));
  return [
    ...report.failures.map(({ group }) => group),
    ...report.surface.filter(({ fails }) => fails).map(({ where }) => where.replace('tool ', '')),
    ...report.listing.filter(({ fails }) => fails).map((each) => each.tool),
    ...report.harnessErrors.map(({ where }) => where),
  ].filter((name) => !known.has(name));
}

let control: CopyServer;
beforeAll(async () => {
  control = await startCopy();
});
afterAll(() => control[Symbol.asyncDispose]());

async function expectFound(
  faults: readonly Fault[],
  left: Address,
  right: Address,
  seed: number,
  expect: (value: unknown) => { toEqual(other: unknown): void },
) {
  const writes = faults.some((fault) => fault.writes);
  const report = await compareTwo(left, right, {
    candidates: [target('candidate', right, faults[0]?.era ?? '2025')],
    seed,
    cases: CASES,
    selection: { only: THOROUGH ? [] : ['ping', ...faults.flatMap(toolsOf)], skip: [], allowWrites: writes },
    sequences: writes ? 6 : 0,
    // Only a fault that hangs waits for the end of it.
    ...(faults.some(({ name }) => name.startsWith('hang')) && { timeoutMs: THOROUGH ? 4_000 : 1_500 }),
  });
  expect(faults.filter(({ named }) => !named(report)).map(({ name }) => name)).toEqual([]);
  expect([[report.exitCode], falseAlarms(report, faults)]).toEqual([
    [...new Set(faults.map(({ exitCode }) => exitCode))],
    [],
  ]);
}

// The whole table asks every tool, and some faults are a wait each time.
describe.for(SEEDS)('with seed %i', { timeout: THOROUGH ? 240_000 : 60_000 }, (seed) => {
  // Side by side, for most of a run is waiting.
  it.concurrent.for(serversOf(FAULTS))('finds over HTTP: $name', async ({ faults }, { expect }) => {
    await using candidate = await startCopy(...faults);
    await expectFound(faults, at(control.url), at(candidate.url), seed, expect);
  });

  it.concurrent.for(serversOf(ON_STDIO))('finds over stdio: $name', async ({ faults }, { expect }) => {
    const names = faults.map(({ name }) => name);
    await expectFound(faults, at(control.url), program(COPY_SERVER, ...names), seed, expect);
  });

  it.concurrent('finds nothing between equal copies, in two eras and on two transports, and names the noise', async ({
    expect,
  }) => {
    await using twin = await startCopy();
    const report = await compareTwo(at(control.url), at(twin.url), {
      seed,
      cases: CASES,
      candidates: [target('modern', at(twin.url), '2026'), target('stdio', program(COPY_SERVER))],
    });
    expect(report.failures).toEqual([]);
    expect([report.exitCode, report.harnessErrors, report.surface]).toEqual([0, [], []]);
    expect(report.noisy).toEqual([
      { group: 'ping', paths: ['result.content.0.text.at', 'result.structuredContent.at'] },
    ]);
    expect(report.counts.match).toBeGreaterThan(CASES * 10);
    expect(report.notCompared).toEqual([
      {
        group: 'incrementCounter',
        reason: 'it does not say that it is read-only or idempotent; --allow-writes calls it',
      },
    ]);
  });
});

describe.concurrent('a found difference', () => {
  it('is made small, and its help replays it', async ({ expect }) => {
    const fault = faultNamed('off-by-one limit');
    await using candidate = await startCopy(fault);
    const first = await compareTwo(at(control.url), at(candidate.url), {
      selection: { only: ['search'], skip: [], allowWrites: false },
    });
    const [failure] = first.failures;
    expect(failure?.reproduced).toBe(true);
    expect(Object.keys(failure?.minimal?.call.params?.['arguments'] ?? {}).toSorted()).toEqual(['limit', 'query']);
    expect(failure?.minimal?.call.params?.['arguments']).toMatchObject({ limit: 100 });
    expect(failure?.help.replay).toContain('"limit":100');
    const again = await compareTwo(at(control.url), at(candidate.url), { just: { call: failure!.minimal!.call } });
    expect([again.exitCode, again.failures.length]).toEqual([1, 1]);
    const byId = await compareTwo(at(control.url), at(candidate.url), { just: { caseId: failure!.id } });
    expect(byId.failures.map(({ id }) => id)).toEqual([failure!.id]);
  });

  it('is told with a valid input when one shows it, and not with one that the schema refuses', async ({ expect }) => {
    const fault = faultNamed('crash at one input');
    await using candidate = await startCopy(fault);
    // With this seed the first input that ends it is near-valid.
    const selection = { only: ['add'], skip: [], allowWrites: false };
    const report = await compareTwo(at(control.url), at(candidate.url), { seed: 13, cases: 60, selection });
    expect(report.failures.map(({ kind, minimal }) => [kind, minimal?.call.params?.['arguments']])).toEqual([
      ['valid', { a: expect.any(Number), b: 0 }],
    ]);
  });

  it('of a sequence is told as a scenario that shows it again', async ({ expect }) => {
    const fault = faultNamed('two sessions mixed up');
    await using candidate = await startCopy(fault);
    const selection = { only: ['*Counter'], skip: [], allowWrites: true };
    const first = await compareTwo(at(control.url), at(candidate.url), { cases: 10, sequences: 6, selection });
    // What the steps got is counted like the answers of single calls.
    const steps = first.groups.filter(({ group }) => group.startsWith('sequence of '));
    expect(
      steps.map(({ group, answers }) => [group, ...['control', 'candidate'].map((of) => answers[of]!.result > 0)]),
    ).toEqual(steps.map(({ group }) => [group, true, true]));
    expect(steps.length).toBeGreaterThan(0);
    const [failure] = first.failures;
    const told = /'(\{.*\})' > sequence-\d+\.json/.exec(failure?.help.replay ?? '')?.[1] ?? '';
    const read = readScenarios(told, 'sequence.json');
    expect(read).toMatchObject({ ok: true });
    const scenarios = read.ok ? read.scenarios : [];
    expect(new Set(scenarios[0]?.steps.map(({ session }) => session))).toEqual(new Set(['a', 'b']));
    const again = await compareTwo(at(control.url), at(candidate.url), { cases: 0, scenarios, selection });
    expect([again.exitCode, again.counts.mismatch]).toEqual([1, 1]);
    const twin = await compareTwo(at(control.url), at(control.url), { cases: 0, scenarios, selection });
    expect(twin.exitCode).toBe(0);
  });

  it('is allowed by a row, and a row that explains nothing fails', async ({ expect }) => {
    const fault = faultNamed('dropped field');
    await using candidate = await startCopy(fault);
    const selection = { only: [], skip: [], allowWrites: false };
    const row = { id: 'zone', where: 'lookup', path: 'result.**.timezone', reason: 'agreed with the team' };
    const promise = { id: 'promise', where: 'lookup', path: 'listing.output_schema', reason: 'the same' };
    const fine = await compareTwo(at(control.url), at(candidate.url), {
      selection,
      cases: 8,
      allowed: [row, promise],
    });
    expect([fine.exitCode, fine.failures, fine.allowed.stale]).toEqual([0, [], []]);
    expect(fine.counts.known_difference).toBeGreaterThan(0);
    await using twin = await startCopy();
    const stale = await compareTwo(at(control.url), at(twin.url), { selection, cases: 8, allowed: [row] });
    expect([stale.exitCode, stale.allowed.stale]).toEqual([1, ['zone']]);
    const expired = await compareTwo(at(control.url), at(twin.url), {
      selection,
      cases: 8,
      allowed: [{ ...row, until: '2020-01-01' }],
    });
    expect([expired.exitCode, expired.allowed.expired]).toEqual([1, ['zone']]);
  });
});

describe.concurrent('a tool that never succeeds on the control', () => {
  /** Both sides refuse to look anybody up, and agree in it. */
  const never: Fault = {
    ...{ name: 'never', where: 'lookup', exitCode: 1, named: () => false },
    change: (request, answer) =>
      isPlainObject(request['params']) && request['params']['name'] === 'lookup'
        ? { result: { content: [{ type: 'text', text: 'Not today.' }], isError: true } }
        : answer,
  };

  it('is told of, and proves nothing', async ({ expect }) => {
    await using left = await startCopy(never);
    await using right = await startCopy(never);
    const table = new VerdictTable();
    const report = await compareTwo(
      at(left.url),
      at(right.url),
      { cases: CASES, selection: { only: ['lookup', 'add'], skip: [], allowWrites: false } },
      { onJudged: (judged) => table.add(verdictLine(judged)) },
    );
    expect(report.exitCode).toBe(0);
    expect(report.groups.map(({ group, succeededInputs }) => [group, succeededInputs > 0])).toEqual([
      ['add', true],
      ['lookup', false],
    ]);
    expect(report.groups.find(({ group }) => group === 'lookup')?.answers).toEqual({
      control: { result: 0, error: CASES, refusal: 0, unfinished: 0 },
      candidate: { result: 0, error: CASES, refusal: 0, unfinished: 0 },
    });
    expect(renderTable(report, false)).toContain('Never succeeded on the control: lookup');
    const certified = certify(report, 'candidate', {
      counts: table.tools('candidate'),
      table: { file: 'x', lines: 1, sha256: 'a'.repeat(64) },
      sanitize: { names: [], paths: [] },
    });
    const exempt = report.notCompared.map(({ group }) => group);
    expect(certified.ok && checkCertificate(certified.certificate, { ...ANY, exempt })).toEqual([
      { reason: 'never_succeeded', tools: ['lookup'] },
    ]);
  });
});

describe.concurrent('tools that write', () => {
  const SCENARIO = {
    name: 'a counter goes on',
    steps: [
      {
        tool: 'incrementCounter',
        arguments: { by: 2 },
        capture: { handle: 'result.structuredContent.handle' },
        expect: { 'result.structuredContent.value': 2 },
      },
      {
        tool: 'incrementCounter',
        arguments: { by: 3, handle: '${handle}' },
        expect: { 'result.structuredContent.value': 5 },
      },
      { resource: 'docs://desk/index' },
      { prompt: 'summarizeDocument', arguments: { id: 'session-ids' } },
    ],
  };
  const only = { only: ['incrementCounter'], skip: [], allowWrites: true };

  it('are called when asked for, and a scenario of them is compared step by step', async ({ expect }) => {
    await using left = await startCopy();
    await using right = await startCopy();
    const refused = await compareTwo(at(left.url), at(right.url), { cases: 5, scenarios: [SCENARIO] });
    expect(refused.notCompared).toContainEqual({
      group: 'scenario a counter goes on',
      reason: expect.stringContaining('--allow-writes'),
    });
    const report = await compareTwo(at(left.url), at(right.url), { cases: 20, selection: only, scenarios: [SCENARIO] });
    expect(report.groups.map(({ group, calls }) => [group, calls])).toEqual([
      ['incrementCounter', 20],
      ['scenario a counter goes on', 4],
    ]);
  });

  it('fail a scenario whose expectation is not met, on the control too', async ({ expect }) => {
    await using left = await startCopy();
    await using right = await startCopy();
    const wrong = {
      name: 'wrong',
      steps: [{ tool: 'add', arguments: { a: 1, b: 1 }, expect: { 'result.structuredContent.sum': 3 } }],
    };
    const report = await compareTwo(at(left.url), at(right.url), { cases: 0, scenarios: [wrong] });
    expect(report.exitCode).toBe(1);
    expect(report.failures.map(({ candidate, differences }) => [candidate, differences])).toEqual([
      ['control', [{ path: 'result.structuredContent.sum', control: 3, candidate: 2 }]],
      ['candidate', [{ path: 'result.structuredContent.sum', control: 3, candidate: 2 }]],
    ]);
  });
});
