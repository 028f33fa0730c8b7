/** What a modern client carries between two rounds of a call: ours, for this call only, for ten minutes only. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, it, vi } from 'vitest';
import worker from '../fixture/worker.ts';
import { openLane, type Message } from '../support/wire.ts';
import { openFixture, ORIGIN } from './fixture-lanes.ts';

const BOTH = {
  name: { action: 'accept', content: { name: 'Ada' } },
  colour: { action: 'accept', content: { colour: 'red' } },
};
const REFUSED = {
  code: -32602,
  message: 'Invalid or expired requestState',
  data: { reason: 'invalid_request_state' },
};

async function round(params: Record<string, unknown>, args: Record<string, unknown> = {}): Promise<Message['result']> {
  const lane = await openFixture('modern', { elicitation: { form: {} } });
  const { answer } = await lane.request('tools/call', { name: 'ask', arguments: args, ...params });
  return answer?.result ?? answer?.error;
}
const asks = (result: Message['result']): string[] => Object.keys(result?.['inputRequests'] ?? {});
const stateOf = async (params: Record<string, unknown> = {}): Promise<string> =>
  String((await round(params))?.['requestState']);

describe('requestState', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is given with the questions, and opens the next round', async ({ expect }) => {
    const first = await round({});
    expect(asks(first)).toEqual(['name', 'colour']);
    const second = await round({ requestState: first?.['requestState'], inputResponses: BOTH });
    expect(asks(second)).toEqual(['count']);
  });

  it('asks again for what was left unanswered, and keeps what was not', async ({ expect }) => {
    const second = await round({ requestState: await stateOf(), inputResponses: { colour: BOTH.colour } });
    expect(asks(second)).toEqual(['name']);
    const third = await round({ requestState: second?.['requestState'], inputResponses: { name: BOTH.name } });
    expect(asks(third)).toEqual(['count']);
  });

  it('ignores answers to questions that were never asked', async ({ expect }) => {
    const count = { action: 'accept', content: { count: 3 } };
    const second = await round({ requestState: await stateOf(), inputResponses: { ...BOTH, count } });
    expect(asks(second)).toEqual(['count']);
  });

  it('is not needed by a client that answers before it is asked', async ({ expect }) => {
    expect(asks(await round({ inputResponses: BOTH }))).toEqual(['count']);
  });

  it.for([
    ['changed in its payload', (state: string) => `v1.${flip(state.slice(3), 10)}`],
    ['changed in its signature', (state: string) => flip(state, state.length - 5)],
    ['cut short', (state: string) => state.slice(0, -8)],
    ['without a signature', (state: string) => state.slice(0, state.lastIndexOf('.'))],
    ['of no form', () => 'anything'],
    ['empty', () => ''],
  ] as const)('is refused when it is %s', async ([, change], { expect }) => {
    expect(await round({ requestState: change(await stateOf()), inputResponses: BOTH })).toEqual(REFUSED);
  });

  it('is refused for another call than its own', async ({ expect }) => {
    const requestState = await stateOf();
    expect(await round({ requestState, inputResponses: BOTH }, { other: true })).toEqual(REFUSED);
    expect(await round({ requestState, inputResponses: BOTH, name: 'echo' })).toEqual(REFUSED);
  });

  it('is refused for a prompt of the same questions', async ({ expect }) => {
    const lane = await openFixture('modern', { elicitation: { form: {} } });
    const first = await lane.request('prompts/get', { name: 'asking' });
    const requestState = first.answer?.result?.['requestState'];
    expect(asks(first.answer?.result)).toEqual(['who']);
    expect(await round({ name: 'asking', requestState })).toEqual(REFUSED);
    const other = await lane.request('prompts/get', { name: 'asking', requestState: await stateOf() });
    expect(other.answer?.error).toEqual(REFUSED);
  });

  it.for([
    ['ann', 'bob', 'refused'],
    ['ann', undefined, 'refused'],
    [undefined, 'bob', 'refused'],
    [undefined, 'null', 'refused'],
    ['ann', 'ann', 'taken'],
    [undefined, undefined, 'taken'],
  ] as const)('of %s is, sent by %s, %s', async ([from, by, outcome], { expect }) => {
    const first = await roundAs(from, {});
    expect(asks(first)).toEqual(['name', 'colour']);
    const second = await roundAs(by, { requestState: first?.['requestState'], inputResponses: BOTH });
    if (outcome === 'refused') expect(second).toEqual(REFUSED);
    else expect(asks(second)).toEqual(['count']);
  });

  it('does not show whose it is', async ({ expect }) => {
    const state = String((await roundAs('ann@example.com', {}))?.['requestState']);
    const [, body = ''] = state.split('.');
    const shown = atob(body.replaceAll('-', '+').replaceAll('_', '/'));
    expect(shown).toContain('"asked":["name","colour"]');
    expect(shown).not.toContain('ann');
  });

  it('is good for ten minutes and refused after them', async ({ expect }) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const requestState = await stateOf();
    vi.setSystemTime(Date.now() + 599_000);
    expect(asks(await round({ requestState, inputResponses: BOTH }))).toEqual(['count']);
    vi.setSystemTime(Date.now() + 3_000);
    expect(await round({ requestState, inputResponses: BOTH })).toEqual(REFUSED);
  });
});

/** A round of a caller whom a sign-in has named, or of one without a sign-in. */
async function roundAs(subject: string | undefined, params: Record<string, unknown>): Promise<Message['result']> {
  const lane = await openLane('modern', {
    origin: ORIGIN,
    capabilities: { elicitation: { form: {} } },
    send: (request) =>
      worker.fetch(
        request as Parameters<typeof worker.fetch>[0],
        env,
        Object.defineProperty(createExecutionContext(), 'props', { value: subject === undefined ? {} : { subject } }),
      ),
  });
  const { answer } = await lane.request('tools/call', { name: 'ask', arguments: {}, ...params });
  return answer?.result ?? answer?.error;
}

function flip(text: string, at: number): string {
  return text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
}
