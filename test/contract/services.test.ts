/** Tools that wait have the caller and the services of each call; what services fail at is a fault, and leaves the state whole. */
import { beforeEach, describe, it, vi } from 'vitest';
import { reports } from '../fixture/callers.ts';
import { lateUpdates, openGates } from '../fixture/service-faults.ts';
import { ANN, callersAgent, openWith, textOf, type Props } from '../support/callers.ts';
import { LANE_NAMES, type Lane, type LaneName } from '../support/wire.ts';

/** A session that was drained answers on the compat lane, and its state has moved. */
const LANES = [...LANE_NAMES, 'drained'] as const;
const open = async (name: LaneName | 'drained', props: Props): Promise<Lane> => {
  const lane = await openWith(name === 'drained' ? 'legacy' : name, props);
  if (name === 'drained' && !(await callersAgent(lane).drain())) throw new Error('The session was not drained');
  return lane;
};

let people = 0;
/** Somebody whose state nobody else has touched. */
const somebody = (more: object = {}) => ({ ...ANN, claims: { sub: `somebody ${(people += 1)}` }, ...more });

const reported = (): unknown[] => reports.map(({ fault, tool, cause }) => [fault, tool ?? null, String(cause)]);
const failed = (tool: string) => `The tool "${tool}" failed. The cause was reported to the server's operator.`;
const missing = (tool: string) =>
  `The server is not set up for the tool "${tool}". What is missing was reported to the server's operator.`;
const FORGOTTEN =
  'ConfigurationProblems: The option "services" reads FORGOTTEN from the environment, and there is no binding, variable or secret of this name: add it to the Wrangler configuration or, for a secret, with `wrangler secret put FORGOTTEN`. For one that may be absent, ask `\'FORGOTTEN\' in env` first.';

beforeEach(() => {
  reports.length = 0;
});

describe.for(LANES)('on %s', (name) => {
  it.for(['session', 'subject', 'handle'])(
    'a waiting tool whose state is of the %s is told who calls',
    async (of, { expect }) => {
      const who = somebody();
      let token = 'first';
      const lane = await open(name, () => ({ ...who, token }));
      const told = async (): Promise<unknown> => JSON.parse(String(await textOf(lane, `wait-${of}`, {}, 1)));
      const expected = {
        subject: who.claims.sub,
        scopes: ['read', 'write'],
        clientId: 'editor',
        since: 2024,
        quota: 'bigint',
      };
      expect(await told()).toEqual({ ...expected, token: 'first', services: ['west', 'first'] });
      token = 'refreshed';
      expect(await told()).toEqual({ ...expected, token: 'refreshed', services: ['west', 'refreshed'] });
      expect(await textOf(lane, `wait-${of}`)).toBe(of === 'handle' ? '1' : '3');
    },
  );

  it('a state of the subject is refused to whoever has none', async ({ expect }) => {
    expect(await textOf(await open(name, undefined), 'wait-subject')).toBe(
      'The tool "wait-subject" keeps its state for a signed-in user, and this call has none. Sign in to this server, and call the tool again.',
    );
    expect(await textOf(await open(name, { login: 'ann', token: 'x' }), 'wait-subject')).toBe(
      'The tool "wait-subject" keeps a state for each caller, and the server cannot tell which caller this is. That was reported to the server\'s operator.',
    );
  });

  it('a registration has the token of each call, where it registers and in its handler', async ({ expect }) => {
    let token = 'first';
    const lane = await open(name, () => ({ ...ANN, token }));
    expect([await textOf(lane, 'registeredFor'), await textOf(lane, 'calledBy')]).toEqual([
      '["first","first"]',
      'first',
    ]);
    token = 'refreshed';
    expect([await textOf(lane, 'registeredFor'), await textOf(lane, 'calledBy')]).toEqual([
      '["refreshed","refreshed"]',
      'refreshed',
    ]);
  });

  it('a service that fails is a fault of its call, and an update before it stays', async ({ expect }) => {
    const lane = await open(name, somebody());
    for (const tool of ['fails', 'fails-reducing', 'fails-waiting']) {
      reports.length = 0;
      expect(await textOf(lane, tool)).toBe(failed(tool));
      expect(reported()).toEqual([['tool_failed', tool, 'Error: the database is away']]);
    }
    expect(await textOf(lane, 'times')).toBe('10');
  });

  it('services that cannot be made are a fault of its call', async ({ expect }) => {
    const lane = await open(name, somebody({ token: 'no services' }));
    for (const tool of ['fails', 'fails-reducing', 'fails-waiting']) {
      reports.length = 0;
      expect(await textOf(lane, tool)).toBe(failed(tool));
      expect(reported()).toEqual([['tool_failed', tool, 'Error: there is no region for this caller']]);
    }
  });

  it('what fails outside of a tool is one fixed error', async ({ expect }) => {
    const lane = await open(name, ANN);
    const errorOf = async (method: string, params: Record<string, unknown>): Promise<unknown> =>
      (await lane.request(method, params)).answer?.error;
    const error = (method: string) => ({
      code: -32603,
      message: `The server could not answer ${method}. The cause was reported to its operator.`,
    });
    const argument = { name: 'to', value: '' };
    expect([
      await errorOf('prompts/get', { name: 'failing', arguments: { to: 'x' } }),
      await errorOf('resources/read', { uri: 'test://failing/1' }),
      await errorOf('completion/complete', { ref: { type: 'ref/prompt', name: 'failing' }, argument }),
      await errorOf('completion/complete', {
        ref: { type: 'ref/resource', uri: 'test://failing/{id}' },
        argument: { name: 'id', value: '' },
      }),
    ]).toEqual([
      error('prompts/get'),
      error('resources/read'),
      error('completion/complete'),
      error('completion/complete'),
    ]);
    expect(reported()).toEqual([
      ['internal', null, 'Error: the database is away'],
      ['internal', null, 'Error: the database is away'],
      ['internal', null, 'Error: the database is away'],
      ['not_configured', null, FORGOTTEN],
    ]);
  });

  it('what is missing is told by its name where the state is owned', async ({ expect }) => {
    const lane = await open(name, somebody());
    for (const tool of ['misses-reducing', 'misses-waiting']) {
      reports.length = 0;
      expect(await textOf(lane, tool)).toBe(missing(tool));
      expect(reported()).toEqual([['not_configured', tool, FORGOTTEN]]);
    }
  });

  it('a service that hangs is cut off at the deadline, and an update before it stays', async ({ expect }) => {
    const lane = await open(name, somebody());
    for (const tool of ['hangs', 'hangs-waiting'])
      expect(await textOf(lane, tool)).toBe(`The tool "${tool}" did not finish within 60 ms.`);
    expect(await textOf(lane, 'times')).toBe('100');
    expect(reported()).toEqual([]);
  });

  it('an update after the call has ended is refused and reported', async ({ expect }) => {
    const lane = await open(name, somebody());
    const gate = `${name} gate`;
    expect(await textOf(lane, 'updates-late', { gate })).toBe('The tool "updates-late" did not finish within 60 ms.');
    openGates.add(gate);
    await vi.waitFor(() => lateUpdates.get(gate) ?? Promise.reject(new Error('It still waits')), 5_000);
    expect(lateUpdates.get(gate)).toBe('FaultSignal: state_unavailableFaultSignal: state_unavailable');
    const used = 'TypeError: The tool "updates-late" used its state when its call was over';
    expect(reported()).toEqual([
      ['state_unavailable', 'updates-late', used],
      ['state_unavailable', 'updates-late', used],
    ]);
    expect(await textOf(lane, 'times')).toBe('1000');
  });
});
