/** The printed forms of a report: complete, safe to show, and as their schemas say. */
import { describe, it } from 'vitest';
import { signed } from '../../../cli/parity/certificate/sign.ts';
import { certify, type Proof } from '../../../cli/parity/report/certify.ts';
import { renderHtml } from '../../../cli/parity/report/html.ts';
import { renderJunit } from '../../../cli/parity/report/junit.ts';
import { renderMarkdown } from '../../../cli/parity/report/markdown.ts';
import { lineOf, progressView } from '../../../cli/parity/report/progress.ts';
import { renderTable } from '../../../cli/parity/report/table.ts';
import { NO_COUNTS, type RunReport } from '../../../cli/parity/run/report.ts';
import { replayCommand, requestLine, sequenceHelp } from '../../../cli/parity/run/help.ts';
import certificateSchema from '../../../cli/parity/schema/certificate.schema.json' with { type: 'json' };
import reportSchema from '../../../cli/parity/schema/report.schema.json' with { type: 'json' };
import type { Connection } from '../../../cli/parity/targets/connect.ts';
import type { Target } from '../../../cli/parity/targets/target.ts';
import { compileSchema } from '../../../cli/parity/validate.ts';
import { NO_ANSWERS } from '../../../src/parity/answer-kind.ts';
import { checkCertificate, USUAL_LEAST, type Demand } from '../../../src/parity/certificate.ts';
import { VerdictTable, type VerdictLine } from '../../../src/parity/verdict-table.ts';
import type { Json } from '../../../src/shared/json.ts';

const EVIL = '<img src=x onerror=alert(1)>|`\u0000\uD800]]>';
const target = (name: string) => ({
  name,
  address: `http://${name}/mcp`,
  era: '2025' as const,
  protocol: '2025-11-25',
  server: { name: EVIL, version: '1' },
  catalogueSha256: 'a'.repeat(64),
});
const call = { method: 'tools/call', params: { name: 'add', arguments: { a: EVIL } } };
const difference = { path: 'result.n', control: EVIL, candidate: 2 };
const group = (name: string, mismatch: number) => ({
  group: name,
  tool: true,
  calls: 300,
  distinctInputs: 300,
  succeededInputs: 300 - mismatch,
  answers: { old: { ...NO_ANSWERS, result: 300 }, new: { ...NO_ANSWERS, result: 297, error: 2, refusal: 1 } },
  candidates: [{ name: 'new', counts: { ...NO_COUNTS, match: 300 - mismatch, mismatch } }],
  noisyPaths: [],
  times: { old: { p50: 1, p95: 2 }, new: { p50: 1, p95: 2 } },
});
const equal: RunReport = {
  format: 'mcp-parity-report/1',
  startedAt: '2026-06-01T12:00:00.000Z',
  durationMs: 1_500,
  seed: 7,
  outcome: 'equal',
  exitCode: 0,
  control: target('old'),
  candidates: [target('new')],
  counts: { ...NO_COUNTS, match: 300 },
  groups: [group('add', 0)],
  surface: [],
  listing: [],
  failures: [],
  moreFailures: 0,
  harnessErrors: [],
  notCompared: [{ group: 'write', reason: 'it may write' }],
  noisy: [{ group: 'ping', paths: ['result.at'] }],
  allowed: { fired: { row: 2 }, stale: [], expired: [] },
};
const different: RunReport = {
  ...equal,
  outcome: 'different',
  exitCode: 1,
  counts: { ...NO_COUNTS, match: 297, mismatch: 3 },
  groups: [group('add', 3)],
  surface: [
    {
      where: 'tool add',
      class: 'breaking',
      path: 'inputSchema.x',
      control: 1,
      candidate: 2,
      why: EVIL,
      target: 'new',
      fails: true,
    },
  ],
  listing: [
    { target: 'new', tool: 'add', broken: 'output_schema', text: 'breaks it', count: 2, example: call, fails: true },
  ],
  failures: [
    {
      id: 'add#17',
      group: 'add',
      candidate: 'new',
      kind: 'valid',
      call,
      differences: [difference],
      control: { kind: 'result', result: {} },
      saw: { kind: 'result', result: {} },
      minimal: { call, differences: [difference], tried: 12 },
      reproduced: true,
      help: { replay: 'mcp-parity run --call x', controlRequest: 'curl a', candidateRequest: 'curl b' },
    },
  ],
  moreFailures: 2,
  allowed: { fired: {}, stale: ['old-row'], expired: ['gone-row'] },
};
const failed: RunReport = {
  ...equal,
  outcome: 'could_not_run',
  exitCode: 2,
  aborted: 'new stopped answering',
  harnessErrors: [{ target: 'new', where: 'add', reason: 'died', cause: 'closed', count: 3 }],
};
const ALL = [equal, different, failed] as const;

describe('every report', () => {
  it('has its schema, and the schema refuses what it does not know', ({ expect }) => {
    const compiled = compileSchema(reportSchema);
    if (!compiled.ok) throw new Error(compiled.why);
    for (const report of ALL) expect(compiled.validate(JSON.parse(JSON.stringify(report)) as Json)).toBeUndefined();
    expect(compiled.validate({ ...JSON.parse(JSON.stringify(equal)), more: 1 })).toContain('additional properties');
  });

  it.for([
    ['table', (report: RunReport) => renderTable(report, false)],
    ['Markdown', renderMarkdown],
    ['HTML', renderHtml],
    ['JUnit', renderJunit],
  ] as const)('as %s says what differs, where, and how to see it again', ([, render], { expect }) => {
    const text = render(different);
    for (const said of [
      'add#17',
      'result.n',
      'mcp-parity run --call x',
      'inputSchema.x',
      'old-row',
      'gone-row',
      'breaks it',
    ])
      expect(text).toContain(said);
    const error = render(failed);
    expect(error).toContain('new stopped answering');
    expect(error).toContain('closed');
  });

  it('shows nothing that a server says as mark-up', ({ expect }) => {
    for (const report of ALL) {
      expect(renderHtml(report)).not.toContain('<img');
      expect(renderMarkdown(report).replaceAll(/```[\s\S]*?\n```/g, '')).not.toContain('<img');
      expect(renderJunit(report)).not.toContain('<img');
      expect(renderJunit(report)).not.toContain('\u0000');
    }
  });
});

const RENDERED = [
  ['table', (report: RunReport) => renderTable(report, false)],
  ['Markdown', renderMarkdown],
  ['HTML', renderHtml],
  ['JUnit', renderJunit],
] as const;

describe('what a server says', () => {
  const FORGED = 'x\u001B[2J\u202Eevil\u200B\nadd  300  match\u0007\u009B';
  const said: RunReport = {
    ...different,
    control: { ...different.control, server: { name: FORGED, version: FORGED } },
    groups: [{ ...group('add', 3), group: FORGED, noisyPaths: [FORGED] }],
    surface: different.surface.map((each) => ({ ...each, where: `tool ${FORGED}`, path: FORGED, control: FORGED })),
    listing: different.listing.map((each) => ({ ...each, tool: FORGED, text: FORGED })),
    failures: different.failures.map((each) => ({
      ...each,
      ...{ id: FORGED, group: FORGED },
      differences: [{ path: FORGED, control: FORGED, candidate: FORGED }],
      minimal: {
        call: { method: 'tools/call', params: { name: FORGED } },
        differences: [{ path: FORGED, control: FORGED, candidate: FORGED }],
        tried: 1,
      },
      help: {
        replay: `run --call '${JSON.stringify(FORGED)}'`,
        controlRequest: JSON.stringify(FORGED),
        candidateRequest: '',
      },
    })),
    harnessErrors: [{ target: 'new', where: FORGED, reason: 'died', cause: FORGED, count: 1 }],
    notCompared: [{ group: FORGED, reason: FORGED }],
    noisy: [{ group: FORGED, paths: [FORGED] }],
  };

  it.for(RENDERED)('stands by its code points in %s, and forges no line', ([, render], { expect }) => {
    const text = render(said);
    for (const raw of ['\u001B', '\u202E', '\u200B', '\u0007', '\u009B']) expect(text).not.toContain(raw);
    expect(text).toContain('⟨U+001B⟩[2J⟨U+202E⟩evil⟨U+200B⟩⟨U+000A⟩add');
    expect(text.split('\n').filter((line) => /^\W*add {2}300/.test(line))).toEqual([]);
    // A command means what it meant.
    expect(text).toContain(String.raw`\u202eevil`);
  });
});

describe('a large report', () => {
  const names = Array.from({ length: 40 }, (_each, at) => `tool-${at}`);
  const large: RunReport = {
    ...equal,
    groups: names.map((name) => group(name, 0)),
    surface: [
      ...names.slice(0, 14).map((name) => ({
        ...{ where: `tool ${name}`, class: 'non-breaking' as const, path: 'description', why: 'another text' },
        ...{ control: name, candidate: `${name}!`, target: 'new', fails: true },
      })),
      {
        ...{ where: 'tool tool-3', class: 'breaking' as const, path: '', why: 'the candidate has no such tool' },
        ...{ control: 'tool-3', candidate: undefined, target: 'new', fails: true },
      },
    ],
    notCompared: names.map((name) => ({ group: `other-${name}`, reason: 'not selected by --only and --skip' })),
  };

  it('says once what many tools have in common, what breaks first, on one screen', ({ expect }) => {
    const text = renderTable(large, false);
    expect(text).toContain(
      'new: 14 tools description (non-breaking): another text, for example "tool-0" → "tool-0!" (tool-0, ',
    );
    expect(text.indexOf('no such tool')).toBeLessThan(text.indexOf('14 tools'));
    expect(text).toContain('40 of them: not selected by --only and --skip (other-tool-0, ');
    expect(text).toMatch(/^40 tools +12000 +12000 +12000 → 11880 +0 → 80 +0 → 40 .* match$/m);
    expect(text.split('\n').length).toBeLessThan(24);
  });

  it.for(RENDERED)('has the same facts as %s', ([name, render], { expect }) => {
    const text = render(large);
    for (const fact of ['14 tools', 'no such tool']) expect(text).toContain(fact);
    if (name !== 'JUnit') for (const fact of ['results', 'refusals', '40 of them']) expect(text).toContain(fact);
    else expect(text).toContain('300 → 297 results');
    const [add] = large.groups;
    const never = { ...large, groups: [{ ...add!, succeededInputs: 0 }] };
    expect(render(never)).toMatch(/never succeeded on the control/i);
  });
});

describe('the HTML file', () => {
  it('needs nothing beside it', ({ expect }) => {
    const html = renderHtml(different);
    expect(html).toContain("default-src 'none'");
    expect(html).not.toMatch(/<script|<link|src="|url\(/);
  });
});

describe('the JUnit file', () => {
  it('counts failures, errors and what was skipped', ({ expect }) => {
    expect(renderJunit(equal)).not.toMatch(/<failure|<error/);
    expect(renderJunit(equal)).toContain('<skipped');
    expect(renderJunit(different).match(/<failure/g)?.length).toBe(3);
    expect(renderJunit(failed)).toContain('<error');
  });
});

describe('the table', () => {
  it('begins with the outcome and ends with the exit code', ({ expect }) => {
    expect(renderTable(equal, false)).toMatch(/^old and new answer the same: 300 calls, 300 match\n/);
    expect(renderTable(different, false)).toMatch(/^old and new differ: 300 calls, 297 match, 3 MISMATCH\n/);
    expect(renderTable(failed, false)).toMatch(/exit code 2$/);
    // oxlint-disable-next-line no-control-regex -- colours are control characters
    expect(renderTable(different, true)).toMatch(/\u001B\[31m/);
  });
});

describe('the table of a tool that differs in a value of the session', () => {
  it('says what to try', ({ expect }) => {
    const [failure] = different.failures;
    if (failure === undefined) throw new Error('a difference is needed');
    const at = { path: 'result.at', control: '2026-01-31T12:00:00Z', candidate: '2026-01-31T12:00:01Z' };
    const text = renderTable({ ...different, failures: [{ ...failure, differences: [at] }] }, false);
    expect(text).toContain('add differs in at alone. If this differs between sessions, try --sanitize timestamp.');
    expect(renderTable(different, false)).not.toContain('--sanitize');
  });
});

describe('the certificate', () => {
  const proof: Proof = {
    counts: [
      {
        ...{ tool: 'add', calls: 300, distinctInputs: 300, succeeded: 290, mismatches: 0 },
        control: { ...NO_ANSWERS, result: 290, refusal: 10 },
        candidate: { ...NO_ANSWERS, result: 290, refusal: 10 },
      },
    ],
    table: { file: 'parity.table.ndjson', lines: 300, sha256: 'c'.repeat(64) },
    sanitize: { names: ['uuid'], paths: [{ tool: 'add', path: 'result.at', as: 'any' }] },
    step: 'legacy stateless',
  };

  it('is what its schema says, and good enough when all is equal', ({ expect }) => {
    const certified = certify(equal, 'new', proof);
    if (!certified.ok) throw new Error(certified.why);
    const compiled = compileSchema(certificateSchema);
    if (!compiled.ok) throw new Error(compiled.why);
    const made = signed(certified.certificate, 'k'.repeat(32));
    expect(compiled.validate(JSON.parse(JSON.stringify(made)) as Json)).toBeUndefined();
    expect(made).toMatchObject({
      step: 'legacy stateless',
      sanitized: ['uuid', 'add:result.at=any'],
      tools: [{ tool: 'add', calls: 300, succeeded: 290, mismatches: 0, upperBound95: expect.closeTo(0.01028, 4) }],
    });
    const demand: Demand = {
      now: new Date('2026-06-01T13:00:00Z'),
      maxAgeMs: 3_600_000,
      ...{ least: USUAL_LEAST, maxUpperBound: 0.02, takesUnsigned: false, exempt: ['write'] },
      signature: 'good',
    };
    expect(checkCertificate(made, demand)).toEqual([]);
  });

  it('says when things differed, and is not written when a run ended early or compared one with itself', ({
    expect,
  }) => {
    expect(certify(different, 'new', proof)).toMatchObject({ ok: true, certificate: { equal: false } });
    expect(certify(failed, 'new', proof)).toEqual({ ok: false, why: 'the run ended early: new stopped answering' });
    const itself = { ...equal, candidates: [{ ...target('old'), name: 'new' }] };
    expect(certify(itself, 'new', proof)).toMatchObject({
      ok: false,
      why: expect.stringContaining('the control itself'),
    });
  });
});

describe('the table of verdicts', () => {
  const line = (over: Partial<VerdictLine>): VerdictLine => ({
    ...{ id: 'add#1', group: 'add', tool: true, input: 1, candidate: 'new', verdict: 'match' },
    ...{ control: 'result', answer: 'result' },
    ...over,
  });
  const counted = (...lines: readonly VerdictLine[]) => {
    const table = new VerdictTable();
    for (const each of lines) table.add(each);
    return table.tools('new');
  };

  it('counts each input once, what succeeded on the control, and not what could not be asked', ({ expect }) => {
    expect(
      counted(
        line({}),
        line({ id: 'add#2' }),
        line({ input: 2, verdict: 'mismatch', answer: 'error' }),
        line({ input: 3, control: 'refusal', answer: 'refusal' }),
        line({ input: 4, verdict: 'harness_error', answer: null }),
        line({ group: 'resource x', tool: false }),
        line({ candidate: 'other' }),
      ),
    ).toEqual([
      {
        ...{ tool: 'add', calls: 4, distinctInputs: 3, succeeded: 2, mismatches: 1 },
        control: { result: 4, error: 0, refusal: 1, unfinished: 0 },
        candidate: { result: 2, error: 1, refusal: 1, unfinished: 0 },
      },
    ]);
  });
});

describe('help', () => {
  const secret: Target = {
    name: 'old',
    address: { kind: 'http', url: "http://x/it's" },
    era: '2026',
    headers: { 'x-api-key': 'hush', 'x-team': 'docs' },
    bearerEnv: 'TOKEN',
  };
  const connection = { target: secret, era: '2026', protocol: '2026-07-28' } as Connection;

  const run = {
    seed: 7,
    sanitize: {
      names: ['handle', 'uuid'],
      paths: [
        { tool: 'search', path: 'result.**.took', as: 'any' },
        { path: 'result.it', as: 'port' },
      ],
    },
  } as const;

  it('quotes for a shell, and prints no secret', ({ expect }) => {
    const line = requestLine(connection, call);
    expect(line).toContain(String.raw`'http://x/it'\''s'`);
    expect(line).toContain('-H "authorization: Bearer $TOKEN"');
    expect(line).toContain("'x-team: docs'");
    expect(`${line}${replayCommand(secret, { ...secret, name: 'candidate' }, call, run)}`).not.toContain('hush');
    // npx, for the program is on nobody's PATH.
    expect(replayCommand(secret, { ...secret, name: 'candidate' }, call, run)).toMatch(
      /^npx mcp-parity run --control /,
    );
    expect(replayCommand(secret, { ...secret, name: 'candidate' }, call, run)).toContain(
      '--control-name old --control-era 2026',
    );
    // Whoever asks again sees what the report says, and not what was taken out of the answers as well.
    const kept =
      "--seed 7 --sanitize handle,uuid --sanitize-path 'search:result.**.took=any' --sanitize-path result.it=port";
    expect(replayCommand(secret, { ...secret, name: 'candidate' }, call, run)).toContain(kept);
    const sequence = { name: 'sequence#1', steps: [{ tool: 'add', arguments: {} }] };
    expect(sequenceHelp(secret, { ...secret, name: 'candidate' }, sequence, run).replay).toContain(kept);
  });
});

describe('progress', () => {
  it('is a bar that is drawn over itself in a terminal, and a line now and then in a log', ({ expect }) => {
    const drawn = (isTTY: boolean): string => {
      let text = '';
      let time = 0;
      const out = { isTTY, write: (chunk: string) => ((text += chunk), true) } as unknown as NodeJS.WriteStream;
      const view = progressView(out, () => time);
      for (let done = 0; done <= 10; done += 1) {
        time += 1_000;
        view.show({ phase: 'comparing', group: 'add', done, total: 10, mismatches: 0 });
      }
      view.end();
      return text;
    };
    expect(drawn(true)).toContain('\r\u001B[2K█');
    expect(drawn(false).split('\n').length).toBe(4);
    expect(drawn(false)).not.toContain('█');
    expect(lineOf({ phase: 'comparing', group: 'add', done: 5, total: 10, mismatches: 2 }, 1_000, false)).toBe(
      '50 %  5/10 calls, 2 differ, 1 s left  add',
    );
  });
});
