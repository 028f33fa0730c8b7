/** What a call brings besides its result: questions to the user, progress, log messages. Real clients, fixture catalogue. */
import { ElicitRequestSchema, LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { startDevServer, type DevServer } from '../../scripts/lib/dev-server.ts';
import { connectSse, connectV1, connectV2 } from './support/clients.ts';

const MODERN = { pin: '2026-07-28' } as const;
const ASKABLE = { capabilities: { elicitation: {} } };
const ASK = { name: 'ask', arguments: {} };
// The contract holds the whole texts; here it counts that the way out reaches the user.
const CANNOT_ASK =
  "this connection cannot carry one. Connect with a client that speaks MCP 2026-07-28, or use the server's /legacy/mcp URL.";
const CANNOT_BE_ASKED = 'this client did not declare the elicitation capability';

let server: DevServer;
beforeAll(async () => {
  server = await startDevServer({ config: 'test/fixture/wrangler.toml' });
});
afterAll(() => server.stop());
const at = (path: string): string => `${server.url}${path}`;

type UserAnswer = { action: 'accept'; content: Record<string, string | number> } | { action: 'decline' | 'cancel' };

/** A user who answers "Your name?" only once "A colour?" is on the screen too: both must be asked at the same time. */
function userWho(answers: Readonly<Record<string, UserAnswer>>) {
  const asked: string[] = [];
  const bothShown = Promise.withResolvers<void>();
  return {
    asked,
    answer: async ({ params: { message } }: { params: { message: string } }): Promise<UserAnswer> => {
      asked.push(message);
      if (message === 'A colour?') bothShown.resolve();
      if (message === 'Your name?') await bothShown.promise;
      const answer = answers[message];
      if (answer === undefined) throw new Error(`Nobody expected the question ${message}`);
      return answer;
    },
  };
}

const accept = (content: Record<string, string | number>): UserAnswer => ({ action: 'accept', content });
const ALL_ACCEPTED = {
  'Your name?': accept({ name: 'N' }),
  'A colour?': accept({ colour: 'red' }),
  'How many?': accept({ count: 3 }),
};
const USERS = [
  {
    does: 'accepts',
    answers: ALL_ACCEPTED,
    asked: ['Your name?', 'A colour?', 'How many?'],
    text: 'N accept red accept',
  },
  {
    does: 'declines the last question',
    answers: {
      'Your name?': accept({ name: 'N' }),
      'A colour?': accept({ colour: 'blue' }),
      'How many?': { action: 'decline' },
    },
    asked: ['Your name?', 'A colour?', 'How many?'],
    text: 'N accept blue decline',
  },
  {
    does: 'declines the first question',
    answers: { 'Your name?': { action: 'decline' }, 'A colour?': accept({ colour: 'red' }) },
    asked: ['Your name?', 'A colour?'],
    text: 'no: decline, accept',
  },
  {
    does: 'cancels',
    answers: { 'Your name?': { action: 'cancel' }, 'A colour?': { action: 'cancel' } },
    asked: ['Your name?', 'A colour?'],
    text: 'no: cancel, cancel',
  },
] satisfies readonly { does: string; answers: Record<string, UserAnswer>; asked: string[]; text: string }[];

describe('a user who', () => {
  it.for(USERS)('$does, asked through SDK v1 on /legacy/mcp', async ({ answers, asked, text }, { expect }) => {
    await using it = await connectV1(at('/legacy/mcp'), ASKABLE);
    const user = userWho(answers);
    it.client.setRequestHandler(ElicitRequestSchema, user.answer);
    expect(await it.client.callTool(ASK)).toEqual({ content: [{ type: 'text', text }] });
    expect(user.asked).toEqual(asked);
  });

  it.for(USERS)('$does, asked through SDK v2 on /mcp', async ({ answers, asked, text }, { expect }) => {
    await using it = await connectV2(at('/mcp'), MODERN, ASKABLE);
    const user = userWho(answers);
    it.client.setRequestHandler('elicitation/create', user.answer);
    expect((await it.client.callTool(ASK)).content).toEqual([{ type: 'text', text }]);
    expect(user.asked).toEqual(asked);
  });
});

describe('a question', () => {
  it('takes one round for all that are open together, and one more for each that follows', async ({ expect }) => {
    let rounds = 0;
    const counting: typeof fetch = (input, init) => {
      if (new Headers(init?.headers).get('mcp-method') === 'tools/call') rounds += 1;
      return fetch(input, init);
    };
    await using it = await connectV2(at('/mcp'), MODERN, ASKABLE, counting);
    it.client.setRequestHandler('elicitation/create', userWho(ALL_ACCEPTED).answer);
    await it.client.callTool(ASK);
    // Two questions, then one that needs their answers, then the result.
    expect(rounds).toBe(3);
  });

  it('whose answer breaks its schema ends the call with a tool error', async ({ expect }) => {
    const answers = { ...ALL_ACCEPTED, 'A colour?': accept({ colour: 'green' }) };
    await using it = await connectV2(at('/mcp'), MODERN, ASKABLE);
    it.client.setRequestHandler('elicitation/create', userWho(answers).answer);
    expect(await it.client.callTool(ASK)).toMatchObject({
      content: [
        {
          type: 'text',
          text: 'The answer to the question "colour" of the tool "ask" is not valid: colour: Invalid option: expected one of "red"|"blue"',
        },
      ],
      isError: true,
    });
  });

  it('on the compat lane is a tool error that names the way out', async ({ expect }) => {
    await using v1 = await connectV1(at('/mcp'), ASKABLE);
    await using v2 = await connectV2(at('/mcp'), 'legacy', ASKABLE);
    const expected = { content: [{ type: 'text', text: expect.stringContaining(CANNOT_ASK) }], isError: true };
    expect(await v1.client.callTool(ASK)).toEqual(expected);
    expect(await v2.client.callTool(ASK)).toEqual(expected);
  });

  it('to a client without elicitation is refused', async ({ expect }) => {
    await using v1 = await connectV1(at('/legacy/mcp'));
    await using v2 = await connectV2(at('/mcp'), MODERN);
    expect(await v1.client.callTool(ASK)).toEqual({
      content: [{ type: 'text', text: expect.stringContaining(CANNOT_BE_ASKED) }],
      isError: true,
    });
    await expect(v2.client.callTool(ASK)).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    });
  });
});

describe('progress', () => {
  const STEPS = { name: 'steps', arguments: { steps: 3 } };
  const UPDATES = [
    { progress: 1, total: 3, message: 'step 1' },
    { progress: 2, total: 3, message: 'step 2' },
    { progress: 3, total: 3, message: 'step 3' },
  ];

  it.for(['/legacy/mcp', '/mcp'])('reaches SDK v1 on %s', async (path, { expect }) => {
    await using it = await connectV1(at(path));
    const seen: unknown[] = [];
    await it.client.callTool(STEPS, undefined, { onprogress: (update) => seen.push(update) });
    expect(seen).toEqual(UPDATES);
  });

  // Read from the transport: SDK v1's client drops the progress that it reads in one piece with the result of its call,
  // because it handles a notification one microtask later than a response.
  it('reaches SDK v1 over HTTP+SSE', async ({ expect }) => {
    await using it = await connectSse(at('/legacy/sse'));
    const seen: unknown[] = [];
    const { onmessage } = it.transport;
    it.transport.onmessage = (message) => {
      if ('method' in message && message.method === 'notifications/progress') {
        const { progressToken: _, ...update } = message.params ?? {};
        seen.push(update);
      }
      onmessage?.(message);
    };
    await it.client.callTool(STEPS, undefined, { onprogress: () => {} });
    expect(seen).toEqual(UPDATES);
  });

  it.for(['legacy', MODERN] as const)('reaches SDK v2 in mode %s on /mcp', async (mode, { expect }) => {
    await using it = await connectV2(at('/mcp'), mode);
    const seen: unknown[] = [];
    await it.client.callTool(STEPS, { onprogress: (update) => seen.push(update) });
    expect(seen).toEqual(UPDATES);
  });

  it('comes with the log messages of the call on the legacy lane', async ({ expect }) => {
    await using it = await connectV1(at('/legacy/mcp'));
    const seen: unknown[] = [];
    it.client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
      seen.push(params);
    });
    await it.client.callTool({ name: 'steps', arguments: { steps: 1 } });
    expect(seen).toEqual([{ level: 'info', logger: 'fixture', data: { message: 'step 1', data: { step: 1 } } }]);
  });
});

describe('the client that a tool sees', () => {
  it('is the one that connected, where the lane knows it', async ({ expect }) => {
    const who = { name: 'who', arguments: {} };
    await using legacy = await connectV1(at('/legacy/mcp'));
    await using sse = await connectSse(at('/legacy/sse'));
    await using compat = await connectV1(at('/mcp'));
    await using modern = await connectV2(at('/mcp'), MODERN);
    const named = { content: [{ type: 'text', text: 'e2e 1.2.3' }] };
    expect(await legacy.client.callTool(who)).toEqual(named);
    expect(await sse.client.callTool(who)).toEqual(named);
    expect(await compat.client.callTool(who)).toEqual({ content: [{ type: 'text', text: 'unknown' }] });
    expect(await modern.client.callTool(who)).toMatchObject(named);
  });
});
