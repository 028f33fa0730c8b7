/** State of the subject, of the handle, and of a session without a handle: the same on every lane, through any move. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, it } from 'vitest';
import worker from '../fixture/worker.ts';
import { agentOf } from '../support/agents.ts';
import { LANE_NAMES, openLane, type Lane, type LaneName } from '../support/wire.ts';
import { ask, openFixture } from './fixture-lanes.ts';

const openAs = (subject: string, name: LaneName): Promise<Lane> =>
  openLane(name, {
    origin: 'http://localhost',
    send: (request) =>
      worker.fetch(
        request as Parameters<typeof worker.fetch>[0],
        env,
        Object.defineProperty(createExecutionContext(), 'props', { value: { subject } }),
      ),
  });

/** The whole result of a call. */
async function call(lane: Lane, name: string, args: Record<string, unknown> = {}): Promise<unknown> {
  const { answer } = await lane.request('tools/call', { name, arguments: { by: 1, ...args } });
  const { content, structuredContent, isError } = answer?.result ?? {};
  return { content, structuredContent, ...(isError === true && { isError }) };
}
const plain = (value: number) => ({ content: [], structuredContent: { value } });
const refused = (text: string) => ({ content: [{ type: 'text', text }], structuredContent: undefined, isError: true });
const handleIn = (result: unknown): string =>
  (result as { structuredContent: { handle: string } }).structuredContent.handle;
const told = (value: number, handle: string) => ({
  content: [
    { type: 'text', text: `To go on with this state, pass "${handle}" as the argument "handle" of the next call.` },
  ],
  structuredContent: { value, handle },
});

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const by = { type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 };

describe.each(LANE_NAMES)('whose a state is, on %s', (lane) => {
  it('a tool without a handle is listed as its author wrote it', async ({ expect }) => {
    const { tools } = (await ask(lane, 'tools/list')) as { tools: { name: string }[] };
    const entry = (name: string, properties: object) => ({
      name,
      title: name,
      description: 'Counts.',
      inputSchema: { $schema: DIALECT, type: 'object', properties, required: ['by'] },
      outputSchema: {
        $schema: DIALECT,
        type: 'object',
        properties: { value: by },
        required: ['value'],
        additionalProperties: false,
      },
      annotations: {
        title: name,
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: false,
      },
    });
    expect(tools.filter(({ name }) => ['count-of-subject', 'count-of-session'].includes(name))).toEqual([
      entry('count-of-subject', { by }),
      entry('count-of-session', { by, handle: { type: 'string' } }),
    ]);
  });

  it('a state of the subject is refused to a call without one', async ({ expect }) => {
    const opened = await openFixture(lane);
    expect(await call(opened, 'count-of-subject')).toEqual(
      refused(
        'The tool "count-of-subject" keeps its state for a signed-in user, and this call has none. Sign in to this server, and call the tool again.',
      ),
    );
    await opened.close();
  });

  it('a state of the handle begins anew in each call without one', async ({ expect }) => {
    const [opened, signedIn] = [await openFixture(lane), await openAs(`handle ${lane}`, lane)];
    for (const one of [opened, signedIn]) {
      const [first, second] = [await call(one, 'count-of-handle'), await call(one, 'count-of-handle')];
      expect(first).toEqual(told(1, handleIn(first)));
      expect(second).toEqual(told(1, handleIn(second)));
      expect(handleIn(first)).not.toBe(handleIn(second));
      expect(await call(one, 'count-of-handle', { handle: handleIn(first) })).toEqual(told(2, handleIn(first)));
      await one.close();
    }
  });

  it('a state of the session without a handle is the session’s', async ({ expect }) => {
    const [opened, other] = [await openFixture(lane), await openFixture(lane)];
    expect(await call(opened, 'count-of-session')).toEqual(plain(1));
    // The 2026-07-28 protocol has no session, so there a call without a sign-in is always the first.
    expect(await call(opened, 'count-of-session', { handle: 'of its own' })).toEqual(plain(lane === 'modern' ? 1 : 2));
    expect(await call(other, 'count-of-session')).toEqual(plain(1));
    await Promise.all([opened.close(), other.close()]);
  });
});

describe('a state of the subject', () => {
  it('is one piece on all lanes and in all sessions, and nobody else’s', async ({ expect }) => {
    const values: unknown[] = [];
    for (const lane of [...LANE_NAMES, ...LANE_NAMES]) {
      const opened = await openAs('subject everywhere', lane);
      values.push(await call(opened, 'count-of-subject'));
      await opened.close();
    }
    expect(values).toEqual([1, 2, 3, 4, 5, 6].map(plain));
    expect(await call(await openAs('subject elsewhere', 'legacy'), 'count-of-subject')).toEqual(plain(1));
  });

  it('stays with a 2025 client whose session is drained, taken back and ended', async ({ expect }) => {
    const lane = await openAs('subject on the move', 'legacy');
    expect(await call(lane, 'count-of-subject')).toEqual(plain(1));
    await agentOf(lane.sessionId).drain();
    expect(await call(lane, 'count-of-subject')).toEqual(plain(2));
    await agentOf(lane.sessionId).takeBack();
    expect(await call(lane, 'count-of-subject')).toEqual(plain(3));
    await lane.close();
    expect(await call(await openAs('subject on the move', 'compat'), 'count-of-subject')).toEqual(plain(4));
  });
});

describe('a state of a session without a handle', () => {
  it('goes with its session through a drain and a take-back', async ({ expect }) => {
    const lane = await openFixture('legacy');
    expect(await call(lane, 'count-of-session')).toEqual(plain(1));
    await agentOf(lane.sessionId).drain();
    expect(await call(lane, 'count-of-session')).toEqual(plain(2));
    await agentOf(lane.sessionId).takeBack();
    expect(await call(lane, 'count-of-session')).toEqual(plain(3));
    await lane.close();
  });

  it('is the subject’s for a signed-in 2026 client', async ({ expect }) => {
    expect(await call(await openAs('subject of no session', 'modern'), 'count-of-session')).toEqual(plain(1));
    expect(await call(await openAs('subject of no session', 'modern'), 'count-of-session')).toEqual(plain(2));
  });
});
