/** Callers without a sign-in of a class that keeps state: each has what its handle names, and nothing without one. */
import { createExecutionContext, listDurableObjectIds, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, it } from 'vitest';
import { newHandle, openHandle } from '../../src/hosted/handle.ts';
import { objectOfPool, SECRET_OBJECT } from '../../src/hosted/objects.ts';
import { keyFrom, sealingKeyOf } from '../../src/state/secret.ts';
import type { Lane } from '../support/wire.ts';
import { HOSTED, listing, modernRequest, openOwn, textOf } from './clients.ts';
import { MyMCP } from './worker.ts';

const HANDLES = { ...HOSTED, AGENT_ANONYMOUS: 'handle' };
const MISSING =
  'This server keeps state for each of its callers. Call the tool "open_session_state" first, and give the handle that it returns as the argument "handle".';
const UNKNOWN =
  'The handle is unknown here or has expired. Call the tool "open_session_state" for a new one, whose state begins anew.';
const IN_META = ' This method takes a handle in its _meta, as "hybrid-mcp/handle".';

const objects = (env as unknown as { MCP_OBJECT: DurableObjectNamespace }).MCP_OBJECT;
const key = async (): Promise<CryptoKey> => {
  const keeper = objects.getByName(SECRET_OBJECT) as unknown as { _secretHosted(): Promise<string> };
  return sealingKeyOf(await keyFrom(objects, () => keeper._secretHosted()));
};
const objectOf = async (handle: string): Promise<string> =>
  (await openHandle(await key(), handle))?.object ?? 'no handle of this deployment';

/** The objects that are there, without those that callers share. */
async function objectIds(): Promise<ReadonlySet<string>> {
  const shared = new Set([0, 1, 2, 3, 4, 5, 6, 7].map((index) => String(objects.idFromName(objectOfPool(index)))));
  const ids = await listDurableObjectIds(objects);
  return new Set(ids.map(String).filter((id) => !shared.has(id)));
}

const openNobody = (capabilities: Record<string, unknown> = {}): Promise<Lane> =>
  openOwn('modern', HANDLES, {}, capabilities);

async function opened(lane: Lane): Promise<string> {
  const { answer } = await lane.request('tools/call', { name: 'open_session_state', arguments: {} });
  const content = answer?.result?.['structuredContent'] as { readonly handle: string } | undefined;
  return content?.handle ?? '';
}

interface ListedTool {
  readonly name: string;
  readonly inputSchema: { readonly properties: Record<string, unknown>; readonly required: readonly string[] };
}

async function toolsOf(lane: Lane): Promise<readonly ListedTool[]> {
  const { answer } = await lane.request('tools/list');
  return answer?.result?.['tools'] as ListedTool[];
}

describe('the listing', () => {
  it('has a tool that gives out handles, and an argument for one in every other tool', async ({ expect }) => {
    const [opener, ...others] = await toolsOf(await openNobody());
    expect(opener).toMatchObject({ name: 'open_session_state', inputSchema: { properties: {} } });
    const own = await toolsOf(await openOwn('modern', HOSTED, { user: 'ann' }));
    expect(others.map(({ name }) => name)).toEqual(own.map(({ name }) => name));
    expect(others.length).toBeGreaterThan(10);
    const added = { type: 'string', description: 'The handle that the tool "open_session_state" has returned.' };
    for (const [index, { inputSchema }] of others.entries()) {
      const { properties = {}, required = [] } = own[index]?.inputSchema ?? {};
      expect(inputSchema.properties).toEqual({ ...properties, handle: added });
      expect(inputSchema.required).toEqual([...required, 'handle']);
    }
  });

  it('of who has signed in has nothing of it', async ({ expect }) => {
    const signedIn = await toolsOf(await openOwn('modern', HANDLES, { user: 'ann' }));
    expect(signedIn).toEqual(await toolsOf(await openOwn('modern', HOSTED, { user: 'ann' })));
  });
});

describe('a handle', () => {
  it('names state that no other handle does', async ({ expect }) => {
    const lane = await openNobody();
    const [one, other] = [await opened(lane), await opened(lane)];
    const count = (handle: string): Promise<string> => textOf(lane, 'increment', { handle });
    expect([await count(one), await count(one), await count(other), await count(one)]).toEqual([
      '1 in 1 rows',
      '2 in 2 rows',
      '1 in 1 rows',
      '3 in 3 rows',
    ]);
    expect(await textOf(lane, 'whoami', { handle: one })).toBe('nobody -');
  });

  it('is good for calls side by side from the first on', async ({ expect }) => {
    const lane = await openNobody();
    const handle = await opened(lane);
    const counts = await Promise.all([1, 2, 3, 4].map(() => textOf(lane, 'increment', { handle })));
    expect(counts.toSorted()).toEqual(['1 in 1 rows', '2 in 2 rows', '3 in 3 rows', '4 in 4 rows']);
  });

  it('does not reach the class, which may refuse what it does not know', async ({ expect }) => {
    const lane = await openNobody();
    const handle = await opened(lane);
    expect(await textOf(lane, 'strict', { a: 1, handle })).toBe('1');
    expect(await textOf(lane, 'strict', { a: 1, b: 2, handle })).toContain('Unrecognized key');
  });

  it('is of no use to who has signed in: the caller’s own object answers', async ({ expect }) => {
    const handle = await opened(await openNobody());
    await textOf(await openNobody(), 'increment', { handle, by: 5 });
    const ann = await openOwn('modern', HANDLES, { user: crypto.randomUUID() });
    expect(await textOf(ann, 'increment', { handle })).toBe('1 in 1 rows');
  });

  it('carries the questions of a handler', async ({ expect }) => {
    const lane = await openNobody({ elicitation: { form: {} } });
    const call = { name: 'book', arguments: { handle: await opened(lane) } };
    const answers = { q1: { n: 3 }, q2: { ok: true } };
    let result = (await lane.request('tools/call', call)).answer?.result;
    for (const [asked, content] of Object.entries(answers)) {
      expect(Object.keys(result?.['inputRequests'] ?? {})).toEqual([asked]);
      const inputResponses = { [asked]: { action: 'accept', content } };
      const { answer } = await lane.request('tools/call', {
        ...call,
        requestState: result?.['requestState'],
        inputResponses,
      });
      result = answer?.result;
    }
    expect(result?.['content']).toEqual([{ type: 'text', text: 'counter 3, ok true, ran 1 times' }]);
  });

  it('names what is removed when nobody uses it, also if sessions are kept for ever', async ({ expect }) => {
    const lane = await openNobody();
    const handle = await opened(lane);
    const before = Date.now();
    await textOf(lane, 'increment', { handle });
    const alarm = await runInDurableObject(objects.getByName(await objectOf(handle)), (_agent, { storage }) =>
      storage.getAlarm(),
    );
    const hours = ((alarm ?? 0) - before) / 3_600_000;
    expect(hours).toBeGreaterThanOrEqual(26.4);
    expect(hours).toBeLessThan(26.5);
  });

  it('is given in _meta where there are no arguments', async ({ expect }) => {
    const lane = await openNobody();
    const meta = { 'hybrid-mcp/handle': await opened(lane) };
    const { answer } = await lane.request('resources/read', { uri: 'own://readme' }, meta);
    expect(answer?.result?.['contents']).toEqual([{ uri: 'own://readme', text: 'Read me' }]);
  });
});

describe('without a handle that was given out here', () => {
  it('a call is refused, says what to do, and makes no object', async ({ expect }) => {
    const lane = await openNobody();
    const given = await opened(lane);
    const invented = `${given.slice(0, -1)}${given.endsWith('A') ? 'B' : 'A'}`;
    const late = await newHandle(await key(), Date.now() - 1);
    const before = await objectIds();
    const answers: Record<string, string> = {};
    for (const [name, args] of Object.entries({
      none: {},
      empty: { handle: '' },
      number: { handle: 7 },
      invented: { handle: invented },
      rubbish: { handle: 'o_constructor' },
    })) {
      const { answer } = await lane.request('tools/call', { name: 'increment', arguments: args });
      expect(answer?.result?.['isError']).toBe(true);
      const content = answer?.result?.['content'] as readonly { readonly text: string }[] | undefined;
      answers[name] = content?.[0]?.text ?? '';
    }
    expect(answers).toEqual({ none: MISSING, empty: UNKNOWN, number: UNKNOWN, invented: UNKNOWN, rubbish: UNKNOWN });
    for (let times = 0; times < 5; times += 1) await opened(lane);
    expect(await objectIds()).toEqual(before);
    expect(await textOf(lane, 'increment', { handle: late })).toBe(UNKNOWN);
  });

  it('what has no arguments is refused as well, and lists are answered', async ({ expect }) => {
    const lane = await openNobody();
    const read = { uri: 'own://readme' };
    const errors = [
      (await lane.request('resources/read', read)).answer?.error,
      (await lane.request('prompts/get', { name: 'greet', arguments: { name: 'Ann' } })).answer?.error,
      (await lane.request('resources/read', read, { 'hybrid-mcp/handle': 'o_none' })).answer?.error,
    ];
    expect(errors).toEqual([
      { code: -32_602, message: MISSING + IN_META },
      { code: -32_602, message: MISSING + IN_META },
      { code: -32_602, message: UNKNOWN + IN_META },
    ]);
    const { answer } = await lane.request('resources/list');
    expect(answer?.result?.['resources']).toMatchObject([{ uri: 'own://readme' }]);
  });
});

describe('callers who cannot be given handles', () => {
  class OwnArgument extends MyMCP {
    static override readonly hybrid = { subject: 'userId', anonymous: 'handle', handleArgument: 'by' } as const;
  }
  class OwnTool extends MyMCP {
    static override readonly hybrid = { subject: 'userId', anonymous: 'handle', handleTool: 'add' } as const;
  }
  class Unnamed extends MyMCP {
    static override readonly hybrid = { subject: 'account' };
  }

  it.for([
    ['a tool of the class has that argument', OwnArgument, {}],
    ['a tool of the class has that name', OwnTool, {}],
    ['the sign-in does not say who they are', Unnamed, { user: 'ann' }],
  ] as const)('because %s are answered as the plain class answers them', async ([, Served, who], { expect }) => {
    const ctx = Object.assign(createExecutionContext(), { props: 'user' in who ? { userId: who.user } : {} });
    const response = await Served.serve('/mcp').fetch(listing(), { ...env, ...HANDLES } as never, ctx);
    const plain = await modernRequest('/plain', {});
    expect([response.status, await response.json()]).toEqual([plain.status, await plain.json()]);
  });
});
