/** Questions to the user: the same conversation and the same answer on every lane that can ask, a clear error on the other. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { createHybrid } from 'hybrid-mcp';
import { describe, it } from 'vitest';
import { fixtureCatalogue } from '../fixture/catalogue.ts';
import { openLane } from '../support/wire.ts';
import { converse, type Answers } from './conversation.ts';
import { openFixture, ORIGIN } from './fixture-lanes.ts';

const CAN_ASK = { elicitation: { form: {} } };
const call = { name: 'ask', arguments: {} };

const NAME = {
  method: 'elicitation/create',
  params: {
    message: 'Your name?',
    requestedSchema: {
      type: 'object',
      properties: { name: { type: 'string', minLength: 1, description: 'A name' } },
      required: ['name'],
    },
  },
};
const COLOUR = {
  method: 'elicitation/create',
  params: {
    message: 'A colour?',
    requestedSchema: {
      type: 'object',
      properties: { colour: { type: 'string', enum: ['red', 'blue'] } },
      required: ['colour'],
    },
  },
};
const COUNT = {
  method: 'elicitation/create',
  params: {
    message: 'How many?',
    requestedSchema: {
      type: 'object',
      properties: { count: { type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 } },
      required: ['count'],
    },
  },
};
const GIVEN: Answers = {
  'Your name?': { action: 'accept', content: { name: 'Ada' } },
  'A colour?': { action: 'accept', content: { colour: 'red' } },
  'How many?': { action: 'accept', content: { count: 3 } },
};
const text = (value: string) => ({ kind: 'result', result: { content: [{ type: 'text', text: value }] } });
const toolError = (value: string) => ({
  kind: 'result',
  result: { content: [{ type: 'text', text: value }], isError: true },
});

describe.each(['legacy', 'modern'] as const)('questions on %s', (name) => {
  const talk = async (answers: Answers) => {
    const lane = await openFixture(name, CAN_ASK);
    const conversation = await converse(lane, call, answers);
    await lane.close();
    return conversation;
  };

  it('two questions at once, a question asked again and one more come to one answer', async ({ expect }) => {
    expect(await talk(GIVEN)).toEqual({ asked: [NAME, COLOUR, COUNT], saw: text('Ada accept red accept') });
  });

  it('a declined question is declined for the tool', async ({ expect }) => {
    expect(await talk({ ...GIVEN, 'A colour?': { action: 'decline' } })).toEqual({
      asked: [NAME, COLOUR],
      saw: text('no: accept, decline'),
    });
  });

  it('a cancelled question is cancelled for the tool', async ({ expect }) => {
    expect(await talk({ ...GIVEN, 'Your name?': { action: 'cancel' } })).toEqual({
      asked: [NAME, COLOUR],
      saw: text('no: cancel, accept'),
    });
  });

  it('a later question can be declined by itself', async ({ expect }) => {
    expect(await talk({ ...GIVEN, 'How many?': { action: 'decline' } })).toEqual({
      asked: [NAME, COLOUR, COUNT],
      saw: text('Ada accept red decline'),
    });
  });

  it('an answer that does not fit its question ends the call', async ({ expect }) => {
    expect((await talk({ ...GIVEN, 'A colour?': { action: 'accept', content: { colour: 'green' } } })).saw).toEqual(
      toolError(
        'The answer to the question "colour" of the tool "ask" is not valid: colour: Invalid option: expected one of "red"|"blue"',
      ),
    );
  });

  it('an accepted question without content does not fit either', async ({ expect }) => {
    expect((await talk({ ...GIVEN, 'Your name?': { action: 'accept' } })).saw).toEqual(
      toolError(
        'The answer to the question "name" of the tool "ask" is not valid: name: Invalid input: expected string, received undefined',
      ),
    );
  });
});

describe('questions where they cannot be asked', () => {
  it('legacy: a client that answers by an error ends the call', async ({ expect }) => {
    const lane = await openFixture('legacy', CAN_ASK);
    const refused = { error: { code: -32601, message: 'Not here' } };
    const { saw } = await converse(lane, call, { ...GIVEN, 'Your name?': refused });
    expect(saw).toEqual(
      toolError('The question "name" of the tool "ask" was not answered. Call the tool again to be asked again.'),
    );
    await lane.close();
  });

  it('compat: the error names no URL of a legacy lane that is not there', async ({ expect }) => {
    const alone = createHybrid({ catalogue: fixtureCatalogue, census: false, admin: false });
    const send = (request: Request): Promise<Response> => alone.fetch(request, env, createExecutionContext());
    const lane = await openLane('compat', { origin: ORIGIN, send, capabilities: CAN_ASK });
    expect(await converse(lane, call, GIVEN)).toEqual({
      asked: [],
      saw: toolError(
        'The tool "ask" has to ask the user a question, and this connection cannot carry one. Connect with a client that speaks MCP 2026-07-28.',
      ),
    });
    await lane.close();
  });

  it('compat: no question reaches the client, and the error says where it would', async ({ expect }) => {
    const lane = await openFixture('compat', CAN_ASK);
    expect(await converse(lane, call, GIVEN)).toEqual({
      asked: [],
      saw: toolError(
        'The tool "ask" has to ask the user a question, and this connection cannot carry one. Connect with a client that speaks MCP 2026-07-28, or use the server\'s /legacy/mcp URL.',
      ),
    });
    await lane.close();
  });

  it('a client without the capability: a tool error on legacy, -32021 with HTTP 400 on modern', async ({ expect }) => {
    const legacy = await openFixture('legacy');
    expect(await converse(legacy, call, GIVEN)).toEqual({
      asked: [],
      saw: toolError(
        'The tool "ask" has to ask the user a question, and this client did not declare the elicitation capability. Use a client that supports elicitation.',
      ),
    });
    await legacy.close();

    const modern = await openFixture('modern');
    const { status, answer } = await modern.request('tools/call', call);
    expect([status, answer?.error]).toEqual([
      400,
      {
        code: -32021,
        message: 'Missing required client capabilities: elicitation',
        data: { requiredCapabilities: { elicitation: { form: {} } } },
      },
    ]);
  });
});
