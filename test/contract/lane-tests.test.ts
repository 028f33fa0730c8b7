/** The tests that the package makes for a project do fail when lanes differ, when a tool has no case, and when they look at nothing. */
import { exports } from 'cloudflare:workers';
import { describe, it } from 'vitest';
import { callTool, LaneTestError, laneTests, type LaneTestsOptions } from 'hybrid-mcp/contract';
import { LANE_NAMES } from '../support/wire.ts';

const [first] = LANE_NAMES;
const ECHO = { name: 'echo repeats', steps: [callTool('echo', { text: 'ab' })] };

/** Says another word on modern, the only lane whose requests name the method in a header. */
async function send(request: Request): Promise<Response> {
  const response = await exports.default.fetch(request);
  if (request.headers.get('mcp-method') !== 'tools/call') return response;
  return new Response((await response.text()).replaceAll('"ab"', '"ba"'), response);
}

/** What each test says that fails. */
async function failures(options: Partial<LaneTestsOptions>): Promise<Record<string, unknown>> {
  const told: Record<string, unknown> = {};
  for (const { name, run } of laneTests({ send, cases: [ECHO], ...options })) {
    try {
      await run();
    } catch (error) {
      told[name] = error instanceof LaneTestError ? error.message : error;
    }
  }
  return told;
}

const changed = (control: string): string =>
  `"echo repeats" is answered otherwise on modern:\n  result.content.0.text\n    ${control}: "ab"\n    modern: "ba"`;
const text = (value: string) => ({ kind: 'result', result: { content: [{ type: 'text', text: value }] } }) as const;

describe('the tests of lanes', () => {
  it('tell a difference between two lanes, and tools without a case', async ({ expect }) => {
    const { 'every tool has a case': uncovered, ...rest } = await failures({});
    expect(rest).toEqual({ 'echo repeats, on modern': changed(first) });
    expect(uncovered).toMatch(/^No case calls shapes, valibot, .+\. Add one for each, or name it in "uncalled"\.$/);
    expect(uncovered).not.toContain('echo,');
  });

  it('tell what is not as it is expected to be, on each lane', async ({ expect }) => {
    const told = await failures({ lanes: ['compat', 'modern'], cases: [{ ...ECHO, expected: text('ba') }] });
    expect(Object.keys(told)).toEqual(['echo repeats, on compat', 'every tool has a case']);
  });

  it('accept a known difference, and tell when it no longer happens', async ({ expect }) => {
    const row = {
      id: 'echo',
      case: 'echo repeats',
      control: 'compat',
      candidate: 'modern',
      path: 'result.content.0.text',
      controlValue: 'ab',
      candidateValue: 'ba',
      reference: 'this test',
      why: 'It changes the answer.',
    };
    const options = { lanes: ['compat', 'modern'], knownDifferences: [row] } as const;
    expect(Object.keys(await failures(options))).toEqual(['every tool has a case']);
    expect(await failures({ ...options, send: (request) => exports.default.fetch(request) })).toMatchObject({
      'every known difference happens': 'These known differences no longer happen; delete them: echo',
    });
  });

  it('tell where a Worker has no such lane', async ({ expect }) => {
    const told = await failures({ lanes: ['modern'], paths: { mcp: '/nowhere' } });
    expect(told['every tool has a case']).toMatch(/^No tool is listed, so nothing was proven: /);
  });

  it('are not made of nothing', ({ expect }) => {
    expect(() => laneTests({ send, cases: [] })).toThrow('laneTests was given no cases.');
    expect(() => laneTests({ send, cases: [ECHO], lanes: [] })).toThrow('laneTests was given no lanes.');
    expect(() => laneTests({ send, cases: [ECHO, ECHO] })).toThrow('Two cases are named "echo repeats".');
  });
});
