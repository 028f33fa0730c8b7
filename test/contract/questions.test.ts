/** What a tool or a prompt can ask of the client: pushed on legacy, in rounds on modern, refused on compat. */
import { describe, it } from 'vitest';
import { openLane, type Lane, type LaneName, type Message, type Reply } from '../support/wire.ts';
import { exports } from 'cloudflare:workers';

type Json = Record<string, unknown>;

const EVERYTHING = { elicitation: {}, sampling: {}, roots: {} };
const REQUESTS: Record<string, { method: string; params: Json }> = {
  who: {
    method: 'elicitation/create',
    params: {
      message: 'Your name?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    },
  },
  greeting: {
    method: 'sampling/createMessage',
    params: {
      messages: [{ role: 'user', content: { type: 'text', text: 'Greet me.' } }],
      maxTokens: 50,
      systemPrompt: 'Be brief.',
    },
  },
  roots: { method: 'roots/list', params: {} },
};
const ANSWERS: Record<string, Json> = {
  'elicitation/create': { action: 'accept', content: { name: 'Ada' } },
  'sampling/createMessage': {
    role: 'assistant',
    content: { type: 'text', text: 'Hello' },
    model: 'm1',
    stopReason: 'endTurn',
  },
  'roots/list': { roots: [{ uri: 'file:///home', name: 'Home' }] },
};
const TOLD = [
  { action: 'accept', content: { name: 'Ada' } },
  { content: [{ type: 'text', text: 'Hello' }], model: 'm1', stopReason: 'endTurn' },
  [{ uri: 'file:///home', name: 'Home' }],
];

const open = (name: LaneName, capabilities: Json = EVERYTHING): Promise<Lane> =>
  openLane(name, { origin: 'http://localhost', send: (request) => exports.default.fetch(request), capabilities });

const callOf = (name: string): [string, Json] => ['tools/call', { name, arguments: {} }];
const textOf = ({ answer }: Pick<Reply, 'answer'>): string =>
  (answer?.result?.['content'] as { text: string }[] | undefined)?.[0]?.text ?? '';

/** Makes a legacy call and answers each request that comes on its stream. */
async function answering(
  lane: Lane,
  method: string,
  params: Json,
  answers: Record<string, Json> = ANSWERS,
): Promise<{ asked: Message[]; answer: Message | undefined }> {
  const response = await lane.open(method, params);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const asked: Message[] = [];
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { asked, answer: undefined };
    text += value;
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const data = event.split('\n').find((line) => line.startsWith('data: '));
      if (data === undefined) continue;
      const message = JSON.parse(data.slice(6)) as Message;
      if (message.method === undefined) return { asked, answer: message };
      asked.push(message);
      const posted = await lane.post({ jsonrpc: '2.0', id: message.id, result: answers[message.method] });
      await posted.body?.cancel();
    }
  }
}

describe('questions on legacy', () => {
  it('are pushed on the stream of the call', async ({ expect }) => {
    const lane = await open('legacy');
    const { asked, answer } = await answering(lane, ...callOf('inquire'));
    expect(asked.map(({ method, params }) => ({ method, params }))).toEqual(Object.values(REQUESTS));
    expect(JSON.parse(textOf({ answer }))).toEqual(TOLD);
    await lane.close();
  });

  it('can come from a prompt', async ({ expect }) => {
    const lane = await open('legacy');
    const { answer } = await answering(lane, 'prompts/get', { name: 'asking' });
    expect(answer?.result?.['messages']).toEqual([{ role: 'user', content: { type: 'text', text: 'I am Ada.' } }]);
    await lane.close();
  });

  it('refuse an answer of another kind', async ({ expect }) => {
    const lane = await open('legacy');
    const { answer } = await answering(lane, ...callOf('sample'), { 'sampling/createMessage': { roots: [] } });
    expect(answer?.result).toMatchObject({
      isError: true,
      content: [
        {
          text: 'The answer to the question "greeting" of the tool "sample" is not valid: This is not a result of sampling/createMessage',
        },
      ],
    });
    await lane.close();
  });

  it('need the capability', async ({ expect }) => {
    const lane = await open('legacy', { elicitation: {} });
    expect(textOf(await lane.request(...callOf('sample')))).toBe(
      'The tool "sample" has to ask the client\'s model a question, and this client did not declare the sampling capability. Use a client that supports sampling.',
    );
    await lane.close();
  });
});

describe('questions on modern', () => {
  it('come together in one round, and the next one completes the call', async ({ expect }) => {
    const lane = await open('modern');
    const [method, params] = callOf('inquire');
    const first = (await lane.request(method, params)).answer?.result;
    expect(first).toMatchObject({ resultType: 'input_required', inputRequests: REQUESTS });
    const inputResponses = Object.fromEntries(
      Object.entries(REQUESTS).map(([key, request]) => [key, ANSWERS[request.method]]),
    );
    const second = await lane.request(method, { ...params, inputResponses, requestState: first?.['requestState'] });
    expect(JSON.parse(textOf(second))).toEqual(TOLD);
  });

  it('can come from a prompt', async ({ expect }) => {
    const lane = await open('modern');
    const first = (await lane.request('prompts/get', { name: 'asking' })).answer?.result;
    expect(first?.['inputRequests']).toEqual({ who: REQUESTS['who'] });
    const second = await lane.request('prompts/get', {
      name: 'asking',
      inputResponses: { who: { action: 'decline' } },
      requestState: first?.['requestState'],
    });
    expect(second.answer?.result?.['messages']).toEqual([
      { role: 'user', content: { type: 'text', text: 'I do not say who I am.' } },
    ]);
  });

  it('can be answered before they are asked, and only what is asked is taken', async ({ expect }) => {
    const lane = await open('modern');
    const inputResponses = { greeting: ANSWERS['sampling/createMessage'], other: { action: 'accept', content: {} } };
    const reply = await lane.request('tools/call', { name: 'sample', arguments: {}, inputResponses });
    expect(textOf(reply)).toBe('m1');
  });

  it('are asked again after an answer of another kind', async ({ expect }) => {
    const lane = await open('modern');
    const inputResponses = { greeting: { roots: [] } };
    const reply = await lane.request('tools/call', { name: 'sample', arguments: {}, inputResponses });
    expect(reply.answer?.result?.['inputRequests']).toEqual({ greeting: REQUESTS['greeting'] });
  });

  it('name every capability that is missing', async ({ expect }) => {
    const lane = await open('modern', { roots: {} });
    const { status, answer } = await lane.request(...callOf('inquire'));
    expect([status, answer?.error?.code, answer?.error?.data]).toEqual([
      400,
      -32021,
      { requiredCapabilities: { elicitation: { form: {} }, sampling: {} } },
    ]);
  });
});

describe('questions on compat', () => {
  it('end a call with a text that names the way out', async ({ expect }) => {
    const lane = await open('compat');
    expect((await lane.request(...callOf('sample'))).answer?.result).toEqual({
      isError: true,
      content: [
        {
          type: 'text',
          text: 'The tool "sample" has to ask the client\'s model a question, and this connection cannot carry one. Connect with a client that speaks MCP 2026-07-28, or use the server\'s /legacy/mcp URL.',
        },
      ],
    });
    await lane.close();
  });

  it('end a prompt with an error', async ({ expect }) => {
    const lane = await open('compat');
    expect((await lane.request('prompts/get', { name: 'asking' })).answer?.error).toEqual({
      code: -32603,
      message:
        'The prompt "asking" has to ask the user a question, and this connection cannot carry one. Connect with a client that speaks MCP 2026-07-28, or use the server\'s /legacy/mcp URL.',
    });
    await lane.close();
  });
});

describe('what the client can be asked for', () => {
  it.for([
    ['legacy', EVERYTHING, 'elicitation sampling roots'],
    ['modern', EVERYTHING, 'elicitation sampling roots'],
    ['compat', EVERYTHING, ''],
    ['legacy', { elicitation: { url: {} }, roots: {} }, 'roots'],
    ['modern', { elicitation: { url: {} }, roots: {} }, 'roots'],
    ['modern', { elicitation: { url: {}, form: {} } }, 'elicitation'],
  ] as const)('is known to the tool: %s %j', async ([name, capabilities, expected], { expect }) => {
    const lane = await open(name, capabilities);
    expect(textOf(await lane.request(...callOf('abilities')))).toBe(expected);
    await lane.close();
  });
});
