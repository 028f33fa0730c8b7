/** The contract of the fixture catalogue: calls with their one answer, the same on every lane unless a row says otherwise. */
import type { Observation } from '../../src/parity/observe.ts';

export interface Step {
  readonly method: string;
  readonly params?: Record<string, unknown>;
}

export interface Case {
  readonly name: string;
  readonly steps: readonly Step[];
  /** The last answer, as literals. `<name 1>` stands for the first handle seen in the sequence. */
  readonly expected: Observation;
}

const call = (name: string, args?: Record<string, unknown>): Step => ({
  method: 'tools/call',
  params: { name, ...(args !== undefined && { arguments: args }) },
});
const result = (value: Extract<Observation, { kind: 'result' }>['result']): Observation => ({
  kind: 'result',
  result: value,
});
const text = (value: string): Observation => result({ content: [{ type: 'text', text: value }] });
const toolError = (value: string): Observation => result({ content: [{ type: 'text', text: value }], isError: true });
const error = (code: number, message: string, data?: { uri: string }): Observation => ({
  kind: 'error',
  error: { code, message, ...(data !== undefined && { data }) },
});
const unsendable = (tool: string): Observation =>
  toolError(`The tool "${tool}" gave a result that cannot be sent. The cause was reported to the server's operator.`);
const failed = (tool: string): Observation =>
  toolError(`The tool "${tool}" failed. The cause was reported to the server's operator.`);
const invalidArguments = (tool: string, issues: string): Observation =>
  toolError(`Invalid arguments for tool "${tool}": ${issues}`);
const one = (name: string, step: Step, expected: Observation): Case => ({ name, steps: [step], expected });
/** What every answer of a stateful tool ends with. */
const goOn = {
  type: 'text',
  text: 'To go on with this state, pass "<name 1>" as the argument "handle" of the next call.',
} as const;
const counted = (value: number): Observation =>
  result({
    content: [{ type: 'text', text: `{"value":${value},"handle":"<name 1>"}` }, goOn],
    structuredContent: { value, handle: '<name 1>' },
  });

export const CASES: readonly Case[] = [
  one(
    'structured content takes the defaults of its output schema',
    call('shapes', { pair: [1, 'ab'] }),
    result({
      content: [{ type: 'text', text: '{"text":"abab","times":2,"extra":"none"}' }],
      structuredContent: { text: 'abab', times: 2, extra: 'none' },
    }),
  ),
  one(
    'unknown arguments are dropped',
    call('shapes', { pair: [1, 'ab'], times: 1, foreign: true }),
    result({
      content: [{ type: 'text', text: '{"text":"ab","times":1,"extra":"none"}' }],
      structuredContent: { text: 'ab', times: 1, extra: 'none' },
    }),
  ),
  one('a Valibot schema is parsed', call('valibot', { word: 'abc' }), text('ABC')),
  one(
    'every kind of block arrives as it was',
    call('blocks', {}),
    result({
      content: [
        { type: 'text', text: 'one', annotations: { audience: ['user'], priority: 0.5 } },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
        { type: 'resource', resource: { uri: 'test://static/text', mimeType: 'text/plain', text: 'hello' } },
        { type: 'resource_link', uri: 'test://static/text', name: 'text' },
      ],
    }),
  ),
  one(
    'absent arguments are an empty object',
    call('blocks'),
    result({
      content: [
        { type: 'text', text: 'one', annotations: { audience: ['user'], priority: 0.5 } },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
        { type: 'resource', resource: { uri: 'test://static/text', mimeType: 'text/plain', text: 'hello' } },
        { type: 'resource_link', uri: 'test://static/text', name: 'text' },
      ],
    }),
  ),
  one(
    'a refusal of the tool is a tool error with its own text',
    call('refuse', {}),
    toolError('There is nothing here. Try the tool "valibot".'),
  ),
  one('text outside ASCII survives', call('echo', { text: 'grüße 🙂 \u2028' }), text('grüße 🙂 \u2028')),
  one('progress and log messages do not change the result', call('steps', { steps: 2 }), text('done')),

  one(
    'a missing argument is named',
    call('shapes', {}),
    invalidArguments('shapes', 'pair: Invalid input: expected tuple, received undefined'),
  ),
  one(
    'every wrong argument is named with its path',
    call('shapes', { pair: [1, 2], from: { x: 'a' }, times: 10 }),
    invalidArguments(
      'shapes',
      'pair.1: Invalid input: expected string, received number; from.x: Invalid input: expected number, received string; from.y: Invalid input: expected number, received undefined; times: Too big: expected number to be <=9',
    ),
  ),
  one(
    'a Valibot issue is named the same way',
    call('valibot', { word: 'a' }),
    invalidArguments('valibot', 'word: Invalid length: Expected >=2 but received 1'),
  ),
  one(
    'null arguments are malformed',
    { method: 'tools/call', params: { name: 'echo', arguments: null } },
    error(-32602, 'Invalid params: "arguments" must be an object'),
  ),
  one(
    'array arguments are malformed',
    { method: 'tools/call', params: { name: 'echo', arguments: [] } },
    error(-32602, 'Invalid params: "arguments" must be an object'),
  ),

  one(
    'a call without a name is malformed',
    { method: 'tools/call', params: { arguments: {} } },
    error(-32602, 'Invalid params: "name" must be a string'),
  ),
  one(
    'a name that is no text is malformed',
    { method: 'tools/call', params: { name: 7, arguments: {} } },
    error(-32602, 'Invalid params: "name" must be a string'),
  ),
  one(
    'a call that asks to be a task is answered at once',
    { method: 'tools/call', params: { name: 'valibot', arguments: { word: 'abc' }, task: { ttl: 1000 } } },
    text('ABC'),
  ),

  one('an unknown tool is a protocol error', call('nope', {}), error(-32602, 'Unknown tool: nope')),
  one('a disabled tool is as unknown as any', call('disabled', {}), error(-32602, 'Unknown tool: disabled')),
  one('a name that every object has is unknown', call('constructor', {}), error(-32602, 'Unknown tool: constructor')),
  one('__proto__ is unknown', call('__proto__', {}), error(-32602, 'Unknown tool: __proto__')),
  one('an unknown method is refused', { method: 'foo/bar' }, error(-32601, 'Method not found')),
  one(
    'a subscription is accepted, since nothing will ever have to be sent',
    { method: 'resources/subscribe', params: { uri: 'test://static/text' } },
    result({}),
  ),
  one(
    'a subscription can be ended',
    { method: 'resources/unsubscribe', params: { uri: 'test://items/1' } },
    result({}),
  ),

  ...[
    'undefined',
    'null',
    'task',
    'input-required',
    'result-type',
    'request-state',
    'array-structured',
    'bigint',
    'bad-block',
    'cycle',
    'wrong-output',
    'no-output',
  ].map((tool) => one(`a reply that breaks the rules is one fixed fault: ${tool}`, call(tool, {}), unsendable(tool))),
  one(
    'metadata of a tool arrives as it was',
    call('meta', { meta: { 'example.com/kind': [1] } }),
    result({ content: [], _meta: { 'example.com/kind': [1] } }),
  ),
  one(
    "metadata under the protocol's own names is refused",
    call('meta', { meta: { 'io.modelcontextprotocol/serverInfo': { name: 'other' } } }),
    unsendable('meta'),
  ),
  one('metadata that is no object is refused', call('meta', { meta: 'text' }), unsendable('meta')),
  one('what JSON drops is dropped', call('functions', {}), text('ok')),
  one(
    'more than the output schema says is dropped',
    call('extra-output', {}),
    result({ content: [{ type: 'text', text: '{"n":1}' }], structuredContent: { n: 1 } }),
  ),
  one(
    'an error reply keeps structured content that fits its output schema',
    call('error-output', { fits: true }),
    result({ content: [{ type: 'text', text: 'No.' }], structuredContent: { n: 1 }, isError: true }),
  ),
  one(
    'structured content of an error reply that does not fit is told as text',
    call('error-output', { fits: false }),
    result({
      content: [
        { type: 'text', text: 'No.' },
        { type: 'text', text: '{"error":"none left"}' },
      ],
      isError: true,
    }),
  ),
  one(
    'the same where the reply has no text of its own',
    call('error-output', { fits: false, content: false }),
    toolError('{"error":"none left"}'),
  ),
  one('a tool that throws does not show its cause', call('throw', {}), failed('throw')),
  one(
    'a tool that never settles meets its deadline',
    call('hang', {}),
    toolError('The tool "hang" did not finish within 300 ms.'),
  ),
  one(
    'a result over the limit is refused',
    call('echo', { text: 'y', times: 5_000_000 }),
    toolError(
      'The result of the tool "echo" is larger than 4194304 bytes. Ask for less, for example with a smaller limit or a narrower query.',
    ),
  ),

  one('a call without state starts at the initial state', call('count', {}), counted(1)),
  one('a read stores nothing and answers', call('count', { by: 0 }), counted(0)),
  one(
    'a handle that names nothing is refused',
    call('count', { handle: 'h_AAAAAAAAAAAAAAAAAAAAAAAAAAA' }),
    toolError(
      'The handle given to the tool "count" names no state. Leave "handle" out to start anew, or pass the handle of an earlier result.',
    ),
  ),
  one(
    'a handle of another form is refused',
    call('count', { handle: '../secret' }),
    toolError(
      'The handle given to the tool "count" names no state. Leave "handle" out to start anew, or pass the handle of an earlier result.',
    ),
  ),
  one(
    'a handle must be a text',
    call('count', { handle: 7 }),
    invalidArguments('count', 'handle: must be a string that is not empty: the handle of an earlier result'),
  ),
  {
    name: 'a handle goes on with its state',
    steps: [call('count', { by: 4 }), call('count', { by: 3, handle: '<name 1>' })],
    expected: counted(7),
  },
  {
    name: 'a reducer that throws leaves the state as it was',
    steps: [
      call('note', { line: 'a' }),
      call('note', { line: 'throw', handle: '<name 1>' }),
      call('note', { line: 'b', handle: '<name 1>' }),
    ],
    expected: result({
      content: [{ type: 'text', text: '2: a,b' }, goOn],
      structuredContent: { handle: '<name 1>' },
    }),
  },
  {
    name: 'a refusal leaves the state as it was',
    steps: [
      call('note', { line: 'a' }),
      call('note', { line: 'refuse', handle: '<name 1>' }),
      call('note', { line: 'b', handle: '<name 1>' }),
    ],
    expected: result({
      content: [{ type: 'text', text: '2: a,b' }, goOn],
      structuredContent: { handle: '<name 1>' },
    }),
  },
  {
    name: 'a state over the limit is refused',
    steps: [
      call('note', { line: 'y'.repeat(800_000) }),
      call('note', { line: 'y'.repeat(800_000), handle: '<name 1>' }),
    ],
    expected: toolError('The state of the tool "note" would be larger than 900000 bytes. It was left as it was.'),
  },
  {
    name: 'a session keeps its state without a handle',
    steps: [call('count', { by: 4 }), call('count', { by: 3 })],
    expected: counted(7),
  },

  one(
    'a prompt gives its messages',
    { method: 'prompts/get', params: { name: 'greet', arguments: { who: 'you' } } },
    result({
      description: 'Greets somebody.',
      messages: [{ role: 'user', content: { type: 'text', text: 'Greet you, plain.' } }],
    }),
  ),
  one(
    'an unknown prompt is refused',
    { method: 'prompts/get', params: { name: 'nope' } },
    error(-32602, 'Unknown prompt: nope'),
  ),
  one(
    'a disabled prompt is unknown',
    { method: 'prompts/get', params: { name: 'off' } },
    error(-32602, 'Unknown prompt: off'),
  ),
  one(
    'a missing prompt argument is named',
    { method: 'prompts/get', params: { name: 'greet', arguments: {} } },
    error(-32602, 'Invalid arguments for prompt "greet": who: Invalid input: expected string, received undefined'),
  ),
  one(
    'a resource is read',
    { method: 'resources/read', params: { uri: 'test://static/text' } },
    result({
      contents: [{ uri: 'test://static/text', mimeType: 'text/plain', text: 'hello' }],
    }),
  ),
  one(
    'a member of a template is read',
    { method: 'resources/read', params: { uri: 'test://items/7' } },
    result({
      contents: [{ uri: 'test://items/7', mimeType: 'text/plain', text: 'item 7' }],
    }),
  ),
  one(
    'a missing member is an error with its URI',
    { method: 'resources/read', params: { uri: 'test://items/404' } },
    error(-32602, 'Resource not found: test://items/404', { uri: 'test://items/404' }),
  ),
  one(
    'a disabled template cannot be read',
    { method: 'resources/read', params: { uri: 'test://off/1' } },
    error(-32602, 'Resource not found: test://off/1', { uri: 'test://off/1' }),
  ),
  one(
    'what is no URI is refused',
    { method: 'resources/read', params: { uri: 'not a uri' } },
    error(-32602, 'Invalid params: "uri" is not a URI', { uri: 'not a uri' }),
  ),
  one(
    'a resource that throws does not show its cause',
    { method: 'resources/read', params: { uri: 'test://static/broken' } },
    error(-32603, 'The server could not answer resources/read. The cause was reported to its operator.'),
  ),
  one(
    'a resource that never settles meets the deadline',
    { method: 'resources/read', params: { uri: 'test://hangs/1' } },
    error(-32603, 'The server could not answer resources/read. The cause was reported to its operator.'),
  ),
  one(
    'a completion that never settles meets the deadline',
    {
      method: 'completion/complete',
      params: { ref: { type: 'ref/resource', uri: 'test://hangs/{id}' }, argument: { name: 'id', value: '' } },
    },
    error(-32603, 'The server could not answer completion/complete. The cause was reported to its operator.'),
  ),
  one(
    'a prompt argument is completed',
    {
      method: 'completion/complete',
      params: { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'tone', value: 'f' } },
    },
    result({
      completion: { values: ['formal'], total: 1, hasMore: false },
    }),
  ),
  one(
    'an argument without a completer has no values',
    {
      method: 'completion/complete',
      params: { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'who', value: 'f' } },
    },
    result({
      completion: { values: [], total: 0, hasMore: false },
    }),
  ),
  one(
    'a template variable is completed',
    {
      method: 'completion/complete',
      params: { ref: { type: 'ref/resource', uri: 'test://items/{id}' }, argument: { name: 'id', value: '1' } },
    },
    result({
      completion: { values: ['1', '12'], total: 2, hasMore: false },
    }),
  ),
  one(
    'a completion of something unknown is refused',
    {
      method: 'completion/complete',
      params: { ref: { type: 'ref/prompt', name: 'nope' }, argument: { name: 'a', value: '' } },
    },
    error(-32602, 'Unknown prompt: nope'),
  ),
  one(
    'a cursor that was never given out is refused',
    { method: 'tools/list', params: { cursor: 'x' } },
    error(-32602, 'Invalid params: "cursor" is not one that this server gave out'),
  ),
  one(
    'templates are listed',
    { method: 'resources/templates/list' },
    result({
      resourceTemplates: [
        {
          uriTemplate: 'test://items/{id}',
          name: 'items',
          title: 'Items',
          description: 'Items by id.',
          mimeType: 'text/plain',
        },
        { uriTemplate: 'test://hangs/{id}', name: 'hangs', title: 'Hangs', description: 'Never settles.' },
        { uriTemplate: 'test://torn/{id}', name: 'torn', title: 'Torn', description: 'Cut \ufffd short.' },
      ],
    }),
  ),
  one(
    'resources and members of templates are listed',
    { method: 'resources/list' },
    result({
      resources: [
        {
          uri: 'test://static/text',
          name: 'text',
          title: 'Text',
          description: 'A text.',
          mimeType: 'text/plain',
          size: 5,
        },
        { uri: 'test://static/broken', name: 'broken', title: 'Broken', description: 'Throws.' },
        { uri: 'test://items/1', name: 'item-1', mimeType: 'text/plain' },
        { uri: 'test://torn/1', name: 'half \ufffd' },
      ],
    }),
  ),
  one(
    'prompts are listed with icons and meta',
    { method: 'prompts/list' },
    result({
      prompts: [
        {
          name: 'greet',
          title: 'Greet',
          description: 'Greets somebody.',
          arguments: [
            { name: 'who', description: 'Whom', required: true },
            { name: 'tone', required: false },
          ],
          icons: [{ src: 'https://example.com/prompt.png' }],
          _meta: { 'example.com/kind': 'prompt' },
        },
        { name: 'asking', title: 'Asking', description: 'Asks the user for a name.', arguments: [] },
        {
          name: 'torn',
          title: 'Torn',
          description: 'Cut \ufffd short.',
          arguments: [{ name: 'word', description: '\ufffd', required: false }],
        },
      ],
    }),
  ),
];
