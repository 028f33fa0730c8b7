/** Half of a character leaves as U+FFFD, wherever a text leaves: strict JSON readers lose the whole answer otherwise. */
import { describe, it } from 'vitest';
import { LANE_NAMES, messagesIn, type Message } from '../support/wire.ts';
import { openFixture } from './fixture-lanes.ts';

const TORN = '\ud83d';
const meta = { progressToken: 't', 'io.modelcontextprotocol/logLevel': 'debug' };

/** The bytes that came, and the messages in them. */
async function ask(
  lane: (typeof LANE_NAMES)[number],
  method: string,
  params: Record<string, unknown> = {},
): Promise<{ text: string; messages: Message[] }> {
  const opened = await openFixture(lane, { elicitation: { form: {} } });
  const response = await opened.open(method, params, meta);
  const text = await response.text();
  await opened.close();
  return { text, messages: messagesIn(text, response.headers.get('content-type') ?? '') };
}

/** What Python's json and jq refuse in a text that is to be written as UTF-8: an escape of half a pair. */
const halves = (text: string): string[] => text.match(/\\ud[89a-f][0-9a-f]{2}/gi) ?? [];
const ANSWERED: readonly (readonly [string, Record<string, unknown>, string])[] = [
  ['tools/list', {}, 'Cut \ufffd short.'],
  ['prompts/list', {}, 'Cut \ufffd short.'],
  ['resources/list', {}, 'half \ufffd'],
  ['resources/templates/list', {}, 'Cut \ufffd short.'],
  ['tools/call', { name: 'torn', arguments: {} }, '"members":{"key \ufffd":"value \ufffd"}'],
  ['tools/call', { name: 'torn', arguments: { say: TORN } }, 'You said \ufffd'],
  ['tools/call', { name: 'torn', arguments: { [`x${TORN}`]: 1 } }, 'Unrecognized key: \\"x\ufffd\\"'],
  ['tools/call', { name: `x${TORN}`, arguments: {} }, 'Unknown tool: x\ufffd'],
  ['tools/call', { name: 'echo', arguments: { text: TORN } }, '"text":"\ufffd"'],
  ['prompts/get', { name: 'torn' }, 'half \ufffd'],
  ['prompts/get', { name: `x${TORN}` }, 'Unknown prompt: x\ufffd'],
  ['resources/read', { uri: 'test://torn/1' }, 'half \ufffd'],
  ['resources/read', { uri: `not a uri ${TORN}` }, 'not a uri \ufffd'],
  [
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'torn' }, argument: { name: 'word', value: '' } },
    'half \ufffd',
  ],
  [
    'completion/complete',
    { ref: { type: 'ref/prompt', name: `x${TORN}` }, argument: { name: 'word', value: '' } },
    'Unknown prompt: x\ufffd',
  ],
];

/** On modern a name travels in a header too, which cannot carry half of a character: SDK v2 refuses such a request. */
const nameOf = ({ name, uri }: Record<string, unknown>): string => `${String(name)} ${String(uri)}`;

describe.each(LANE_NAMES)('half of a character on %s', (lane) => {
  const answered = ANSWERED.filter(([, params]) => lane !== 'modern' || !nameOf(params).includes(TORN));
  it.for(answered)('%s of %j', async ([method, params, wanted], { expect }) => {
    const { text } = await ask(lane, method, params);
    expect(text).toContain(wanted);
    expect(halves(text)).toEqual([]);
  });

  it('in progress and log messages', async ({ expect }) => {
    const { text, messages } = await ask(lane, 'tools/call', { name: 'torn', arguments: {} });
    const told = messages.filter(({ method }) => method?.startsWith('notifications/') === true);
    expect(told.map(({ params }) => params?.['message'] ?? params?.['data'])).toEqual(
      lane === 'modern' && told.length === 0
        ? []
        : ['half \ufffd', { message: 'half \ufffd', data: { 'key \ufffd': '\ufffd' } }],
    );
    expect(halves(text)).toEqual([]);
  });
});

describe('half of a character in a question', () => {
  it('on modern', async ({ expect }) => {
    const { text } = await ask('modern', 'tools/call', { name: 'torn', arguments: { ask: true } });
    expect(text).toContain('"message":"Well \ufffd?"');
    expect(text).toContain('"description":"\ufffd"');
    expect(halves(text)).toEqual([]);
  });
});
