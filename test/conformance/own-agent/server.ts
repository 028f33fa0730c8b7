/** What the official suite expects of a server, written for SDK v1 as people write theirs. Names and texts are the suite's. */
import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  ListRootsResultSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
  type CallToolResult,
  type CreateMessageRequestParams,
  type ElicitRequestFormParams,
} from '@modelcontextprotocol/sdk/types.js';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/cfworker-provider.js';
import { z } from 'zod';
import { PNG, WAV } from '../content.ts';

type Form = ElicitRequestFormParams['requestedSchema'];

const text = (value: string): CallToolResult => ({ content: [{ type: 'text', text: value }] });
const said = (what: string, answer: unknown): CallToolResult => text(`${what}: ${JSON.stringify(answer)}`);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const image = { type: 'image', data: PNG, mimeType: 'image/png' } as const;

const name: Form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const confirmation: Form = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] };
const prompted = (question: string, maxTokens: number): CreateMessageRequestParams => ({
  messages: [{ role: 'user', content: { type: 'text', text: question } }],
  maxTokens,
});

export const makeServer = (): McpServer =>
  new McpServer(
    { name: 'conformance', version: '1.0.0' },
    { capabilities: { logging: {} }, jsonSchemaValidator: new CfWorkerJsonSchemaValidator() },
  );

export function register(server: McpServer): void {
  answers(server);
  questions(server);
  prompts(server);
  resources(server);
}

function answers(server: McpServer): void {
  server.tool('test_simple_text', 'Returns text.', () => text('This is a simple text response for testing.'));
  server.tool('test_image_content', 'Returns an image.', () => ({ content: [image] }));
  server.tool('test_audio_content', 'Returns a sound.', () => ({
    content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  }));
  server.tool('test_embedded_resource', 'Returns an embedded resource.', () => ({
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  }));
  server.tool('test_multiple_content_types', 'Returns text, an image and a resource.', () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: '{"test":"data","value":123}',
        },
      },
    ],
  }));
  server.tool('test_tool_with_logging', 'Logs three times.', async ({ sendNotification }) => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await sendNotification({ method: 'notifications/message', params: { level: 'info', data } });
      await pause(50);
    }
    return text('Logged three times.');
  });
  server.tool('test_error_handling', 'Always refuses.', () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  server.tool('test_tool_with_progress', 'Reports progress three times.', async ({ _meta, sendNotification }) => {
    const progressToken = _meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        await sendNotification({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
      }
      await pause(50);
    }
    return text('Reported three times.');
  });
  server.tool('test_reconnection', 'Answers after a pause.', async () => {
    await pause(100);
    return text('Reconnected.');
  });
}

function questions(high: McpServer): void {
  const { server } = high;
  const ask = (message: string, requestedSchema: Form) => server.elicitInput({ message, requestedSchema });
  const roots = () => server.request({ method: 'roots/list' }, ListRootsResultSchema);
  const sample = async (question: string, maxTokens = 100) =>
    (await server.createMessage(prompted(question, maxTokens))).content;

  high.tool('test_elicitation', 'Asks for a user name and an address.', { message: z.string() }, async ({ message }) =>
    said(
      'User response',
      await ask(message, {
        type: 'object',
        properties: { username: { type: 'string' }, email: { type: 'string' } },
        required: ['username', 'email'],
      }),
    ),
  );
  high.tool('test_sampling', "Passes a prompt to the client's model.", { prompt: z.string() }, async ({ prompt }) =>
    said('LLM response', await sample(prompt)),
  );
  high.tool('test_elicitation_sep1034_defaults', 'Asks with defaults.', async () =>
    said('Elicitation completed', await ask('Please check these.', DEFAULTS)),
  );
  high.tool('test_elicitation_sep1330_enums', 'Asks with choices.', async () =>
    said('Elicitation completed', await ask('Please choose.', CHOICES)),
  );
  high.tool('test_input_required_result_elicitation', 'Asks for a name.', async () => {
    const { action, content } = await ask('What is your name?', name);
    return text(action === 'accept' ? `Hello, ${String(content?.['name'])}!` : 'Hello!');
  });
  for (const tool of ['test_streaming_elicitation', 'test_input_required_result_tampered_state']) {
    high.tool(tool, 'Asks for a confirmation.', async () =>
      said('Confirmed', await ask('Please confirm', confirmation)),
    );
  }
  high.tool('test_input_required_result_request_state', 'Asks for a confirmation.', async () =>
    said('state-ok', await ask('Please confirm', confirmation)),
  );
  high.tool('test_input_required_result_sampling', 'Asks the model.', async () =>
    said('The model said', await sample('What is the capital of France?')),
  );
  high.tool('test_missing_capability', 'Asks the model.', async () =>
    said('The model said', await sample('What is there to say?')),
  );
  high.tool('test_input_required_result_list_roots', 'Asks for the roots.', async () => said('Roots', await roots()));
  high.tool('test_input_required_result_multiple_inputs', 'Asks three questions at once.', async () =>
    said('Answers', await Promise.all([ask('What is your name?', name), sample('Generate a greeting', 50), roots()])),
  );
  high.tool('test_input_required_result_multi_round', 'Asks two questions, one after the other.', async () => {
    const first = await ask('Step 1: What is your name?', name);
    const second = await ask('Step 2: What is your favorite color?', {
      type: 'object',
      properties: { color: { type: 'string' } },
      required: ['color'],
    });
    return said('Answers', [first, second]);
  });
  high.tool('test_input_required_result_capabilities', 'Asks only for what the client declared.', async () => {
    const can = server.getClientCapabilities() ?? {};
    return said(
      'Answers',
      await Promise.all([
        can.elicitation === undefined ? undefined : ask('What is your name?', name),
        can.sampling === undefined ? undefined : sample('Generate a greeting', 50),
        can.roots === undefined ? undefined : roots(),
      ]),
    );
  });
}

/** A default for every primitive type (SEP-1034). */
const DEFAULTS: Form = {
  type: 'object',
  properties: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
};

const titled = (word: string, [first, second]: readonly [string, string]) => [
  { const: first, title: `First ${word}` },
  { const: second, title: `Second ${word}` },
];

/** Every kind of choice that a form may have (SEP-1330). */
const CHOICES: Form = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: { type: 'string', oneOf: titled('Option', ['value1', 'value2']) },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
    titledMulti: { type: 'array', items: { anyOf: titled('Choice', ['value1', 'value2']) } },
  },
};

function prompts(server: McpServer): void {
  server.prompt('test_simple_prompt', 'A simple prompt.', () => ({
    messages: [{ role: 'user', content: { type: 'text', text: 'This is a simple prompt for testing.' } }],
  }));
  server.prompt(
    'test_prompt_with_arguments',
    'Repeats its arguments.',
    {
      arg1: completable(z.string().describe('First test argument'), (typed) =>
        ['test', 'testing', 'paris'].filter((value) => value.startsWith(typed)),
      ),
      arg2: z.string().describe('Second'),
    },
    ({ arg1, arg2 }) => ({
      messages: [
        {
          role: 'user',
          content: { type: 'text', text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` },
        },
      ],
    }),
  );
  server.prompt(
    'test_prompt_with_embedded_resource',
    'Embeds a resource.',
    { resourceUri: z.string().describe('URI of the resource to embed') },
    ({ resourceUri }) => ({
      messages: [
        {
          role: 'user',
          content: {
            type: 'resource',
            resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
          },
        },
        { role: 'user', content: { type: 'text', text: 'Please process the embedded resource above.' } },
      ],
    }),
  );
  server.prompt('test_prompt_with_image', 'Shows an image.', () => ({
    messages: [
      { role: 'user', content: image },
      { role: 'user', content: { type: 'text', text: 'Please analyze the image above.' } },
    ],
  }));
  server.prompt('test_input_required_result_prompt', 'Asks the user for a context.', async () => {
    const { content } = await server.server.elicitInput({
      message: 'What context should the prompt use?',
      requestedSchema: { type: 'object', properties: { context: { type: 'string' } }, required: ['context'] },
    });
    const context = typeof content?.['context'] === 'string' ? content['context'] : 'No context.';
    return { messages: [{ role: 'user', content: { type: 'text', text: context } }] };
  });
}

function resources(server: McpServer): void {
  const plain = { mimeType: 'text/plain' };
  server.resource('static-text', 'test://static-text', plain, (uri) => ({
    contents: [{ uri: uri.href, ...plain, text: 'This is the content of the static text resource.' }],
  }));
  server.resource('static-binary', 'test://static-binary', { mimeType: 'image/png' }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'image/png', blob: PNG }],
  }));
  server.resource('watched-resource', 'test://watched-resource', plain, (uri) => ({
    contents: [{ uri: uri.href, ...plain, text: 'Watch me.' }],
  }));
  server.resource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { mimeType: 'application/json' },
    (uri, { id }) => ({
      contents: [
        {
          uri: uri.href,
          mimeType: 'application/json',
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
        },
      ],
    }),
  );
  // Subscriptions are the low-level server's in SDK v1. The suite asks for nothing but an answer.
  server.server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
}
