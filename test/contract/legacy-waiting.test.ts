/** Tools that keep a state and wait, on every lane and over every way to the owner of the state, while the state moves. */
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, it, vi } from 'vitest';
import { late, opened, stopped } from '../fixture/waiting.ts';
import { agentOf } from '../support/agents.ts';
import { MessageReader } from '../support/events.ts';
import { LANE_NAMES, type Lane, type Message } from '../support/wire.ts';
import { converse } from './conversation.ts';
import { openFixture } from './fixture-lanes.ts';

const UNAVAILABLE =
  'The state of the tool "count-slowly" cannot be reached now. Nothing is known to have changed; try again.';

let gates = 0;
const newGate = (): string => `gate ${(gates += 1)}`;

interface Counted {
  readonly before?: number;
  readonly value: number;
  readonly handle: string;
}
const countedIn = (message: Message | undefined): Counted | undefined =>
  message?.result?.['structuredContent'] as Counted | undefined;
const textIn = (message: Message | undefined): unknown =>
  (message?.result?.['content'] as readonly { text: string }[] | undefined)?.[0]?.text;

async function count(lane: Lane, by: number, handle?: string): Promise<Counted> {
  const { answer } = await lane.request('tools/call', {
    name: 'count',
    arguments: { by, ...(handle !== undefined && { handle }) },
  });
  return countedIn(answer) ?? { value: -1, handle: JSON.stringify(answer) };
}

/** A call that is under way: it has said so, and waits at its gate. */
class Waiting {
  readonly gate = newGate();
  readonly told: unknown[] = [];
  #reader: MessageReader | undefined;

  async begin(lane: Lane, handle?: string, name = 'count-slowly'): Promise<this> {
    const args = { gate: this.gate, ...(handle !== undefined && { handle }) };
    const meta = { progressToken: this.gate, 'io.modelcontextprotocol/logLevel': 'debug' };
    this.#reader = new MessageReader(await lane.open('tools/call', { name, arguments: args }, meta));
    let message: Message | undefined;
    do {
      message = await this.#reader.next();
      if (message?.method === undefined) throw new Error(`It did not wait: ${JSON.stringify(message)}`);
      this.told.push(message.method);
    } while (message.method !== 'notifications/progress');
    return this;
  }

  /** Lets it go on, and reads its answer. */
  async end(): Promise<Message | undefined> {
    opened.add(this.gate);
    return this.answer();
  }

  async answer(): Promise<Message | undefined> {
    for (;;) {
      const message = await this.#reader?.next();
      if (message?.method === undefined) return message;
      this.told.push(message.method);
    }
  }

  async cancel(): Promise<void> {
    await this.#reader?.cancel();
  }
}

const CAN_ASK = { elicitation: { form: {} } };
const CANNOT =
  'The tool "ask-and-count" has to ask the user a question, and this connection cannot carry one. Connect with a client that speaks MCP 2026-07-28, or use the server\'s /legacy/mcp URL.';
const TOLD = ['notifications/message', 'notifications/progress'];

/** Where the state lives, and which lane calls: in the session's agent or in a state object, from here or from there. */
const WAYS = LANE_NAMES.flatMap((owner) => LANE_NAMES.map((caller) => [owner, caller] as const));

describe.each(WAYS)('the state of a %s client, called from %s', (owner, caller) => {
  const open = async (): Promise<{ mine: Lane; lane: Lane; handle: string }> => {
    const mine = await openFixture(owner, CAN_ASK);
    const { handle } = await count(mine, 1);
    return { mine, handle, lane: owner === caller ? mine : await openFixture(caller, CAN_ASK) };
  };

  it('two calls that wait at the same time lose no update, and tell of their progress', async ({ expect }) => {
    const { mine, lane, handle } = await open();
    const [one, two] = [await new Waiting().begin(mine, handle), await new Waiting().begin(lane, handle)];
    // An ordinary call is not held up.
    expect((await count(lane, 10, handle)).value).toBe(11);
    const [first, second] = [await one.end(), await two.end()];
    expect([countedIn(first), countedIn(second)]).toEqual([
      { before: 1, value: 12, handle },
      { before: 1, value: 13, handle },
    ]);
    expect([one.told, two.told]).toEqual([TOLD, TOLD]);
    expect((await count(mine, 0, handle)).value).toBe(13);
  });

  it('a tool asks first and acts afterwards, once', async ({ expect }) => {
    const { mine, lane, handle } = await open();
    const call = { name: 'ask-and-count', arguments: { by: 5, handle } };
    const said = (text: string) => ({ asked: caller === 'compat' ? 0 : 1, text: caller === 'compat' ? CANNOT : text });
    const talk = async (sure: boolean) => {
      const { asked, saw } = await converse(lane, call, { 'Sure?': { action: 'accept', content: { sure } } });
      return { asked: asked.length, text: textIn(saw as unknown as Message) };
    };
    expect(await talk(false)).toEqual(said('left at 1'));
    expect(await talk(true)).toEqual(said('now 6'));
    expect((await count(mine, 0, handle)).value).toBe(caller === 'compat' ? 1 : 6);
  });

  it('a tool that asks after it has acted is refused, and has acted once', async ({ expect }) => {
    const { mine, lane, handle } = await open();
    const { answer } = await lane.request('tools/call', {
      name: 'ask-and-count',
      arguments: { by: 5, after: true, handle },
    });
    expect(textIn(answer)).toBe('The tool "ask-and-count" failed. The cause was reported to the server\'s operator.');
    expect((await count(mine, 0, handle)).value).toBe(6);
  });

  it('an update after the call has ended is refused; those before it stay', async ({ expect }) => {
    const { mine, lane, handle } = await open();
    const call = await new Waiting().begin(lane, handle, 'count-late');
    expect(textIn(await call.answer())).toBe('The tool "count-late" did not finish within 300 ms.');
    opened.add(call.gate);
    await vi.waitFor(() => late.get(call.gate) ?? Promise.reject(new Error('It still waits')), 5_000);
    expect(late.get(call.gate)).toBe('refused');
    expect((await count(mine, 0, handle)).value).toBe(2);
  });

  it('a client that cancels stops the call, wherever it runs', async ({ expect }) => {
    const { mine, lane, handle } = await open();
    const call = await new Waiting().begin(lane, handle, 'count-slowly');
    if (caller === 'legacy') {
      const requestId = owner === caller ? 2 : 1;
      await lane.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
    } else await call.cancel();
    await vi.waitFor(() => stopped.has(call.gate) || Promise.reject(new Error('It still waits')), 5_000);
    expect((await count(mine, 0, handle)).value).toBe(1);
  });
});

describe('a state that moves while a tool waits', () => {
  it('stays where it is through a drain by itself, and the tool finishes', async ({ expect }) => {
    const lane = await openFixture('legacy');
    const { handle } = await count(lane, 1);
    const call = await new Waiting().begin(lane);
    await agentOf(lane.sessionId).drain();
    expect(countedIn(await call.end())).toEqual({ before: 1, value: 2, handle });
    expect(await count(lane, 1)).toEqual({ value: 3, handle });
  });

  it('that has left its agent is out of reach for the tool there', async ({ expect }) => {
    const lane = await openFixture('legacy');
    const { handle } = await count(lane, 1);
    const call = await new Waiting().begin(lane);
    await agentOf(lane.sessionId).drain();
    expect(await count(lane, 10)).toEqual({ value: 11, handle });
    expect(textIn(await call.end())).toBe(UNAVAILABLE);
    expect(await count(lane, 1)).toEqual({ value: 12, handle });
  });

  it('that was taken back is out of reach for the tool in its object', async ({ expect }) => {
    const lane = await openFixture('legacy');
    const { handle } = await count(lane, 1);
    await agentOf(lane.sessionId).drain();
    const call = await new Waiting().begin(lane);
    await agentOf(lane.sessionId).takeBack();
    expect(await count(lane, 10)).toEqual({ value: 11, handle });
    expect(textIn(await call.end())).toBe(UNAVAILABLE);
    expect(await count(await openFixture('modern'), 1, handle)).toEqual({ value: 12, handle });
  });

  it('that has left and come back is the newest for the tool that waited', async ({ expect }) => {
    const lane = await openFixture('legacy');
    const { handle } = await count(lane, 1);
    const call = await new Waiting().begin(lane);
    await agentOf(lane.sessionId).drain();
    await count(lane, 10);
    await agentOf(lane.sessionId).takeBack();
    await count(lane, 100);
    expect(countedIn(await call.end())).toEqual({ before: 1, value: 112, handle });
  });

  it('goes to its handle when its session ends, and the call with the session', async ({ expect }) => {
    const lane = await openFixture('legacy');
    const { handle } = await count(lane, 1);
    const call = await new Waiting().begin(lane);
    await lane.close();
    opened.add(call.gate);
    expect(await count(await openFixture('modern'), 1, handle)).toEqual({ value: 2, handle });
  });
});

describe('the idle time while a tool waits', () => {
  it('does not end a state object', async ({ expect }) => {
    const lane = await openFixture('compat');
    const { handle } = await count(lane, 1);
    const call = await new Waiting().begin(lane);
    expect(await runDurableObjectAlarm(env.STATE_OBJECT.getByName(handle))).toBe(true);
    expect(countedIn(await call.end())).toEqual({ before: 1, value: 2, handle });
    expect(await runDurableObjectAlarm(env.STATE_OBJECT.getByName(handle))).toBe(true);
    expect((await count(await openFixture('modern'), 1, handle)).value).toBe(-1);
  });

  it('does not end a session whose client has left', async ({ expect }) => {
    const lane = await openFixture('legacy');
    const { handle } = await count(lane, 1);
    const agent = env.LEGACY_AGENT.getByName(`streamable-http:${lane.sessionId}`);
    const call = await new Waiting().begin(await openFixture('modern'), handle);
    await runInDurableObject(agent, (_agent, { storage }) =>
      storage.kv.put('hybrid-mcp:used-at', Date.now() - 2 * 24 * 60 * 60 * 1000),
    );
    expect(await runDurableObjectAlarm(agent)).toBe(true);
    expect(countedIn(await call.end())).toEqual({ before: 1, value: 2, handle });
    expect(await count(lane, 1)).toEqual({ value: 3, handle });
  });
});
