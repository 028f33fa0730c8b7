/** Each fault that is planted into public servers changes what a client reads, and nothing where it has nothing to change. */
import { describe, it } from 'vitest';
import { PLANTED, type Asked, type Planted, type ServerAnswer } from '../../../scripts/lib/planted-faults.ts';

const asked = (method: string, params: Asked['params'] = {}): Asked => ({ method, params });
const answer = (result: ServerAnswer['result']): ServerAnswer => ({ id: 1, ...(result !== undefined && { result }) });
const TOOL = {
  name: 'add',
  description: 'Adds.',
  inputSchema: { type: 'object', properties: { a: {}, b: {} }, required: ['a', 'b'] },
};
const BEFORE = { firstTool: 'add', lastResult: { content: [] } };
const LISTED = answer({ tools: [TOOL] });
const FAILED: ServerAnswer = { id: 1, error: { code: -32_602, message: 'No' } };
const called = (text: string, more: object = {}): ServerAnswer =>
  answer({ content: [{ type: 'text', text }], ...more });
const block = (text: string) => ({ type: 'text', text });
const LONG = 'it is 41, and more than twenty';

/** What was asked, what the server answers, and what a client gets. */
const SEEN: Readonly<Record<string, readonly [Asked, ServerAnswer, Planted]>> = {
  'a tool is missing': [asked('tools/list'), LISTED, answer({ tools: [] })],
  'a description is another': [
    asked('tools/list'),
    LISTED,
    answer({ tools: [{ ...TOOL, description: 'Adds. Really.' }] }),
  ],
  'an argument is required': [
    asked('tools/list'),
    LISTED,
    answer({
      tools: [
        {
          ...TOOL,
          inputSchema: {
            type: 'object',
            properties: { a: {}, b: {}, extra: { type: 'string' } },
            required: ['a', 'b', 'extra'],
          },
        },
      ],
    }),
  ],
  'a text has a character more': [asked('tools/call'), called(LONG), called(`${LONG}.`)],
  'a text is cut': [asked('tools/call'), called(LONG), called('it is 41, and more t')],
  'a number is off by one': [asked('tools/call'), called(LONG), called('it is 42, and more than twenty')],
  'an error is no error': [asked('tools/call'), called('No', { isError: true }), called('No')],
  'a result is an error': [asked('tools/call'), called('Yes'), called('Yes', { isError: true })],
  'a block is missing': [asked('tools/call'), called('Yes'), answer({ content: [] })],
  'wrong at one input of seven': [asked('tools/call', { arguments: { a: 1 } }), called('Yes'), called('Yes!')],
  'one tool never answers': [asked('tools/call', { name: 'add' }), called('Yes'), 'hang'],
  'one tool ends the program': [asked('tools/call', { name: 'add' }), called('Yes'), 'crash'],
  'structured content is missing': [asked('tools/call'), called('1', { structuredContent: { n: 1 } }), called('1')],
  'the answer of the call before': [asked('tools/call'), called('Yes'), answer({ content: [] })],
  'a tool has another name': [asked('tools/list'), LISTED, answer({ tools: [{ ...TOOL, name: 'add_v2' }] })],
  'an argument is gone': [
    asked('tools/list'),
    LISTED,
    answer({ tools: [{ ...TOOL, inputSchema: { type: 'object', properties: { b: {} }, required: ['b'] } }] }),
  ],
  'the instructions are others': [
    asked('initialize'),
    answer({ instructions: 'Use it.' }),
    answer({ instructions: 'Use the other tools.' }),
  ],
  'a text is in other letters': [asked('tools/call'), called('Yes'), called('YES')],
  'a block comes twice': [asked('tools/call'), called('Yes'), answer({ content: [block('Yes'), block('Yes')] })],
  'an error has another code': [asked('tools/call'), FAILED, { id: 1, error: { code: -32_603, message: 'No' } }],
  'a prompt has another title': [
    asked('prompts/list'),
    answer({ prompts: [{ name: 'p' }] }),
    answer({ prompts: [{ name: 'p', title: 'Another' }] }),
  ],
  'a resource has another type': [
    asked('resources/list'),
    answer({ resources: [{ uri: 'a://b' }] }),
    answer({ resources: [{ uri: 'a://b', mimeType: 'text/other' }] }),
  ],
};

describe('a planted fault', () => {
  it('is of each kind', ({ expect }) => {
    expect(Object.keys(PLANTED)).toEqual(Object.keys(SEEN));
  });

  it.for(Object.entries(SEEN))('is seen by a client: %s', ([kind, [question, given, seen]], { expect }) => {
    expect(PLANTED[kind]?.(given, question, BEFORE)).toEqual(seen);
  });

  it.for(Object.keys(SEEN))('leaves what it is not about: %s', (kind, { expect }) => {
    const ping = answer({});
    expect(PLANTED[kind]?.(ping, asked('ping'), BEFORE)).toBe(ping);
  });
});
