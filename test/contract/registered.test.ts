/**
 * The registrations of the documentation's examples answer on every lane, without an object of the class, as the plain class
 * answers: for a caller without a sign-in, for one with, and for one with more rights, side by side.
 */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, it } from 'vitest';
import { observe } from '../../src/parity/observe.ts';
import { fetchRegistered, PLAIN_PATH, reports } from '../fixture/registered.ts';
import { DOCUMENTED_CALLS } from '../support/port/documented-calls.ts';
import type { DocumentedProps } from '../support/port/documented.ts';
import { LANE_NAMES, openLane, type Lane, type LaneName, type Send } from '../support/wire.ts';

const sendAs =
  (props: DocumentedProps): Send =>
  (request) =>
    fetchRegistered(request, env, Object.defineProperty(createExecutionContext(), 'props', { value: props }));
const openPlain = (props: DocumentedProps): Promise<Lane> =>
  openLane('legacy', { origin: 'http://localhost', send: sendAs(props), paths: { legacy: PLAIN_PATH } });
const openAs = (name: LaneName, props: DocumentedProps): Promise<Lane> =>
  openLane(name, { origin: 'http://localhost', send: sendAs(props) });

const CALLERS: readonly DocumentedProps[] = [{}, { login: 'ada' }, { login: 'grace', permissions: ['admin'] }];

const toolsOf = async (lane: Lane): Promise<readonly string[]> => {
  const { answer } = await lane.request('tools/list');
  return ((answer?.result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name);
};

describe('documented registrations', () => {
  it.for(LANE_NAMES)('answer on %s as the plain class does, to each caller', async (name, { expect }) => {
    let compared = 0;
    for (const props of CALLERS) {
      const [plain, ported] = await Promise.all([openPlain(props), openAs(name, props)]);
      for (const [method, params] of DOCUMENTED_CALLS) {
        const [control, candidate] = await Promise.all([plain, ported].map((lane) => lane.request(method, params)));
        expect([props, method, params, observe(candidate?.answer)]).toEqual([
          props,
          method,
          params,
          observe(control?.answer),
        ]);
        compared += 1;
      }
      expect(await toolsOf(ported)).toEqual(await toolsOf(plain));
      await Promise.all([plain.close(), ported.close()]);
    }
    expect(compared).toBe(45);
  });

  it('greet the caller of each call when callers take turns on all lanes', async ({ expect }) => {
    const lanes = await Promise.all(
      LANE_NAMES.flatMap((name) =>
        ['ada', 'grace', 'alan'].map(async (login) => ({ login, lane: await openAs(name, { login }) })),
      ),
    );
    const greeted = await Promise.all(
      [...lanes, ...lanes.toReversed(), ...lanes].map(async ({ login, lane }) => {
        const { answer } = await lane.request('tools/call', { name: 'greet' });
        return [login, ((answer?.result?.['content'] ?? []) as { text: string }[])[0]?.text];
      }),
    );
    expect(greeted.length).toBe(27);
    expect(greeted.filter(([login, text]) => text !== `Hello, ${login}!`)).toEqual([]);
    await Promise.all(lanes.map(({ lane }) => lane.close()));
  });

  it('declare what the plain class declares, but for news of lists', async ({ expect }) => {
    const declared = async (path: string): Promise<unknown> => {
      const response = await sendAs({})(
        new Request(`http://localhost${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
          body: JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'initialize',
            params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
          }),
        }),
      );
      const data = /^data: (.*)$/m.exec(await response.text())?.[1] ?? '{}';
      return (JSON.parse(data) as { result: { capabilities: unknown } }).result.capabilities;
    };
    const ported = {
      tools: { listChanged: false },
      prompts: { listChanged: false },
      resources: { listChanged: false, subscribe: false },
      completions: {},
      logging: {},
    };
    expect(await declared(PLAIN_PATH)).toEqual({
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true },
      completions: {},
    });
    expect([await declared('/legacy/mcp'), await declared('/mcp')]).toEqual([ported, ported]);
  });

  it('report nothing', ({ expect }) => {
    expect(reports).toEqual([]);
  });
});
