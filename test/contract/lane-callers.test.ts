/** The tests that the package makes for callers of different rights: they pass on all lanes, and fail where something leaks. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, it } from 'vitest';
import { callTool, LaneTestError, laneTests, type LaneTestsOptions, type Send } from 'hybrid-mcp/contract';
import { challenging, hiding } from '../fixture/rights.ts';

const PROPS = {
  ada: { subject: 'ada', role: 'staff', scope: 'books:read books:write' },
  dan: { subject: 'dan', role: 'guest', scope: 'books:read' },
} as const;
const sendAs =
  (worker: Pick<typeof hiding, 'fetch'>, value: object): Send =>
  (request) =>
    worker.fetch(request, env, Object.defineProperty(createExecutionContext(), 'props', { value }));
const callersOf = (worker: Pick<typeof hiding, 'fetch'>): NonNullable<LaneTestsOptions['callers']> => ({
  ada: { send: sendAs(worker, PROPS.ada) },
  dan: { send: sendAs(worker, PROPS.dan) },
});
const send: Send = () => Promise.reject(new TypeError('Each caller sends for itself'));

const cases = [
  ...['open', 'staff', 'writers'].map((name) => ({ name: `${name} is called`, steps: [callTool(name)] })),
  {
    name: 'a prompt of staff is read',
    steps: [{ method: 'prompts/get', params: { name: 'staff', arguments: { to: 'x' } } }],
  },
];
const uncalled = ['openCount', 'staffCount', 'writersCount'];

describe.for([
  ['with a challenge', challenging],
  ['hidden', hiding],
] as const)('scopes that are missing: %s', ([, worker]) => {
  for (const { name, run } of laneTests({ send, cases, uncalled, callers: callersOf(worker) })) it(name, run);
});

/** What each test says that fails. */
async function failures(options: Partial<LaneTestsOptions>): Promise<Record<string, string>> {
  const told: Record<string, string> = {};
  for (const { name, run } of laneTests({ send, cases, uncalled, lanes: ['modern'], ...options })) {
    try {
      await run();
    } catch (error) {
      told[name] = error instanceof LaneTestError ? error.message : String(error);
    }
  }
  return told;
}

describe('the tests of callers', () => {
  it('tell what one caller sees of another who calls at the same time', async ({ expect }) => {
    // A Worker that keeps the last caller for everybody, and answers when both have come.
    let last: object = {};
    const leaky =
      (value: object): Send =>
      async (request) => {
        last = value;
        await new Promise((resolve) => setTimeout(resolve, 5));
        return sendAs(hiding, last)(request);
      };
    const told = await failures({ callers: { ada: { send: leaky(PROPS.ada) }, dan: { send: leaky(PROPS.dan) } } });
    expect(Object.keys(told)).toEqual(['callers are answered side by side as alone, on modern']);
    expect(Object.values(told)[0]).toMatch(
      /^"[^"]+", as (ada|dan), is answered otherwise on modern while other callers call: \[/,
    );
  });

  it('tell a tool that is hidden in the list and can be called', async ({ expect }) => {
    const half: Send = async (request) => {
      const listing = request.headers.get('mcp-method') === 'tools/list';
      return sendAs(hiding, listing ? PROPS.dan : PROPS.ada)(request);
    };
    const told = await failures({ callers: { ada: { send: sendAs(hiding, PROPS.ada) }, dan: { send: half } } });
    expect(Object.keys(told)).toEqual(['what only other callers are listed is unknown, on modern']);
    expect(Object.values(told)[0]).toMatch(
      /^The tool "staff" is not listed for dan, and on modern its call is not answered as that of a name that never existed:/,
    );
  });

  it('are of no use with callers who are the same', async ({ expect }) => {
    const [ada] = [{ send: sendAs(hiding, PROPS.ada) }];
    expect(await failures({ callers: { ada, again: ada } })).toEqual({
      'callers have different rights':
        'Two callers are answered the same in every case. Give callers of different rights.',
    });
  });

  it('are not made for somebody who is not there', ({ expect }) => {
    const [first] = cases;
    if (first === undefined) throw new TypeError('There are no cases');
    expect(() => laneTests({ send, cases: [{ ...first, as: 'eve' }] })).toThrow(
      'The case "open is called" is made as "eve", who is not in "callers".',
    );
    expect(() => laneTests({ send, cases, callers: {} })).toThrow('laneTests was given no callers.');
  });
});
