/** What the log says, and what it never says. */
import * as fc from 'fast-check';
import { describe, it } from 'vitest';
import { deskCatalogue } from '../../../examples/desk/catalogue.ts';
import { faultOnWire, type Fault } from '../../../src/shared/pipeline/fault.ts';
import { faultOfText } from '../../../src/shared/pipeline/fault-of-text.ts';
import { reportConfiguration, type Report } from '../../../src/shared/pipeline/report.ts';
import { callIn } from '../../../src/router/finish.ts';
import { messageOf } from '../../../src/shared/message.ts';
import { verdictOf } from '../../../src/router/outcome.ts';
import { reportLine } from '../../../src/state/log.ts';

const SECRET = 'hunter2-4f1c';
const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const result = (text: string, isError: boolean): unknown => ({
  jsonrpc: '2.0',
  id: 1,
  result: { content: [{ type: 'text', text }], isError },
});

const issues = [{ path: 'a', message: 'is wrong' }];
/** One of each, so that a new fault does not compile until the log knows it. */
const FAULTS: { readonly [Name in Fault['fault']]: Extract<Fault, { fault: Name }> } = {
  unknown_tool: { fault: 'unknown_tool', tool: 'add' },
  insufficient_scope: { fault: 'insufficient_scope', tool: 'add', scopes: ['a', 'b'] },
  malformed_request: { fault: 'malformed_request', problem: 'Invalid params' },
  invalid_arguments: { fault: 'invalid_arguments', tool: 'add', issues },
  tool_failed: { fault: 'tool_failed', tool: 'add' },
  not_configured: { fault: 'not_configured', tool: 'add' },
  invalid_result: { fault: 'invalid_result', tool: 'add' },
  result_too_large: { fault: 'result_too_large', tool: 'add', limitBytes: 5 },
  deadline_exceeded: { fault: 'deadline_exceeded', tool: 'add', limitMs: 5 },
  cancelled: { fault: 'cancelled', tool: 'add' },
  lane_cannot_ask: { fault: 'lane_cannot_ask', tool: 'add', needs: 'roots', otherwiseAt: '/legacy/mcp' },
  client_cannot_be_asked: { fault: 'client_cannot_be_asked', tool: 'add', needs: 'roots' },
  invalid_answer: { fault: 'invalid_answer', tool: 'add', key: 'name', issues },
  unanswered: { fault: 'unanswered', tool: 'add', key: 'name' },
  unknown_handle: { fault: 'unknown_handle', tool: 'add' },
  caller_unidentified: { fault: 'caller_unidentified', tool: 'add' },
  session_ended: { fault: 'session_ended', tool: 'add' },
  sign_in_needed: { fault: 'sign_in_needed', tool: 'add' },
  state_unreadable: { fault: 'state_unreadable', tool: 'add' },
  state_too_large: { fault: 'state_too_large', tool: 'add', limitBytes: 5 },
  state_unavailable: { fault: 'state_unavailable', tool: 'add' },
};

describe('the verdict of an answer', () => {
  it.for(Object.values(FAULTS))('is the name of the fault: $fault', (fault, { expect }) => {
    const wire = faultOnWire(fault);
    const message = wire.kind === 'result' ? result(wire.text, true) : { jsonrpc: '2.0', id: 1, error: wire.error };
    expect(verdictOf(bytes(message))).toBe(fault.fault === 'malformed_request' ? 'rpc_error' : fault.fault);
  });

  const HUGE = '\u0007'.repeat(3_000_000);
  it.for<[string, Fault]>([
    ['the name of a tool', { fault: 'unknown_tool', tool: HUGE }],
    [
      'the name of an argument',
      { fault: 'invalid_arguments', tool: 'add', issues: [{ path: HUGE, message: 'is not known' }] },
    ],
    ['the name of a tool for others', { fault: 'insufficient_scope', tool: HUGE, scopes: ['a'] }],
    ['an answer', { fault: 'invalid_answer', tool: 'add', key: 'name', issues: [{ path: '', message: HUGE }] }],
  ])('is the name of the fault where %s has three megabytes, which do not come back', ([, fault], { expect }) => {
    const wire = faultOnWire(fault);
    const message = wire.kind === 'result' ? result(wire.text, true) : { jsonrpc: '2.0', id: 1, error: wire.error };
    expect(verdictOf(bytes(message))).toBe(fault.fault);
    expect(wire.kind === 'result' ? wire.text : wire.error.message).toHaveLength(1_201);
  });

  it('is a fault of a prompt as well', ({ expect }) => {
    const message = 'The prompt "greet" did not finish within 5 ms.';
    expect(verdictOf(bytes({ jsonrpc: '2.0', id: 1, error: { code: -32603, message } }))).toBe('deadline_exceeded');
  });

  it.for([
    ['ok', result('fine', false)],
    ['tool_error', result('There is nothing here.', true)],
    ['rpc_error', { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } }],
    ['none', []],
  ] as const)('is %s', ([verdict, message], { expect }) => {
    expect(verdictOf(bytes(message))).toBe(verdict);
  });

  it('is read from the last event of a stream', ({ expect }) => {
    const event = `event: message\nid: 7\ndata: ${JSON.stringify(result('x', false))}\n\n`;
    expect(verdictOf(new TextEncoder().encode(event))).toBe('ok');
    expect(verdictOf(new TextEncoder().encode(': keepalive\n\n'))).toBe('none');
    expect(verdictOf(undefined)).toBe('none');
  });

  it('of a large answer is not parsed for', ({ expect }) => {
    expect(verdictOf(bytes(result('y'.repeat(10_000), true)))).toBe('ok');
  });
});

describe('a fault in its own text', () => {
  // What names may be made of, quotes and the beginnings of other texts among it.
  const name = fc.oneof(
    fc.stringMatching(/^[A-Za-z0-9_.-]{1,40}$/),
    fc.constantFrom('The tool "a" failed.', 'a" was not answered', '$&', '.*', '(', 'a\nb'),
  );
  const issues = fc.array(fc.record({ path: fc.string(), message: fc.string({ maxLength: 2_000 }) }), { minLength: 1 });
  const needs = fc.constantFrom('elicitation' as const, 'sampling' as const, 'roots' as const);
  const scopes = fc.array(fc.stringMatching(/^[!#-[\]-~]{1,20}$/), { minLength: 1 });
  const fields = {
    tool: name,
    key: name,
    needs,
    issues,
    scopes,
    otherwiseAt: fc.option(name, { nil: undefined }),
    limitBytes: fc.nat(),
    limitMs: fc.nat(),
  };
  const kinds = Object.keys(FAULTS).filter((kind) => kind !== 'malformed_request');

  it('is found again, whatever it names', ({ expect }) => {
    let seen = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds),
        fc.record(fields),
        fc.constantFrom('tool' as const, 'prompt' as const, 'resource' as const),
        (fault, all, what) => {
          seen += 1;
          const wire = faultOnWire({ fault, ...all } as Fault, what);
          expect(faultOfText(wire.kind === 'result' ? wire.text : wire.error.message)).toBe(fault);
        },
      ),
      { numRuns: 1_000 },
    );
    expect([kinds.length, seen]).toEqual([20, 1_000]);
  });

  it('is none where the text is a tool’s own', ({ expect }) => {
    for (const text of [
      '',
      'failed',
      'The tool "add" failed',
      'x The tool "add" was cancelled.',
      'Unknown',
      undefined,
    ]) {
      expect(faultOfText(text)).toBeUndefined();
    }
  });
});

describe('the call that is logged', () => {
  it('is told in words of our own only', ({ expect }) => {
    const of = (json: unknown) => callIn(messageOf(json), 'POST', deskCatalogue.tools);
    const call = (name: unknown): unknown => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } });
    expect(of(call('add'))).toEqual({ method: 'tools/call', tool: 'add' });
    expect(of(call(SECRET))).toEqual({ method: 'tools/call', tool: null });
    expect(of(call('constructor'))).toEqual({ method: 'tools/call', tool: null });
    expect(of({ jsonrpc: '2.0', id: 1, method: SECRET })).toEqual({ method: 'other', tool: null });
    expect(of([call('add')])).toEqual({ method: 'batch', tool: null });
    expect(of({ jsonrpc: '2.0', id: 1, result: {} })).toEqual({ method: 'response', tool: null });
    expect(callIn(undefined, 'GET', deskCatalogue.tools)).toEqual({ method: 'GET', tool: null });
    expect(callIn(undefined, 'POST', deskCatalogue.tools)).toEqual({ method: '-', tool: null });
  });
});

describe('the report of a fault', () => {
  const lineOf = (cause: unknown): string => JSON.stringify(reportLine({ fault: 'tool_failed', tool: 'add', cause }));
  const thrown = (message: string): Error => new RangeError(message);

  it('names the class, the code and the place of an error', ({ expect }) => {
    const line = reportLine({ fault: 'tool_failed', tool: 'add', cause: Object.assign(thrown('x'), { code: -32042 }) });
    expect(line).toMatchObject({
      level: 'error',
      fault: 'tool_failed',
      tool: 'add',
      error: { name: 'RangeError', code: -32042 },
    });
    expect('error' in line && line.error.at?.[0]).toMatch(/^at thrown .*log\.test\.ts/);
  });

  it.for([
    ['a message', thrown(SECRET)],
    ['a message of lines like frames', thrown(`a\n    at ${SECRET} (x:1:1)`)],
    ['a message that was changed', Object.assign(thrown(`a\n    at ${SECRET} (x:1:1)`), { message: 'a' })],
    ['a name', Object.assign(thrown('x'), { name: SECRET })],
    ['a code', Object.assign(thrown('x'), { code: SECRET })],
    ['data', Object.assign(thrown('x'), { data: { SECRET } })],
    ['a cause', new Error('x', { cause: new Error(SECRET) })],
    ['a cause that is no error', new Error('x', { cause: SECRET })],
    ['a text', SECRET],
    ['an object', { SECRET }],
    ['an SDK that repeats a body', new Error(`Received a response for an unknown message ID: {"id":"${SECRET}"}`)],
  ])('does not repeat what is in %s', ([, cause], { expect }) => {
    expect(lineOf(cause)).not.toContain(SECRET);
  });

  it('says what is wrong with the configuration', ({ expect }) => {
    const problems = [
      'The variable MAX_BODY_BYTES must be a whole number from 1 to 16777216.',
      'There is no binding X.',
    ];
    const line = (fault: 'configuration' | 'configuration_warning') => {
      let reported: Report | undefined;
      reportConfiguration((report) => (reported = report), problems, fault);
      return reported === undefined ? undefined : reportLine(reported);
    };
    expect(line('configuration')).toEqual({ level: 'error', fault: 'configuration', problems });
    expect(line('configuration_warning')).toEqual({ level: 'warn', fault: 'configuration_warning', problems });
  });

  it('is a warning where an SDK may only have met a bad client', ({ expect }) => {
    const level = (fault: Report['fault']): string =>
      reportLine({ fault, tool: undefined, cause: new Error('x') }).level;
    expect([level('sdk_error'), level('dependency_unavailable'), level('internal')]).toEqual([
      'warn',
      'error',
      'error',
    ]);
  });
});
