/** Group B: results and errors. */
import type { Disposition } from './types.ts';

const CASES = 'test/contract/cases.ts';
const ERRORS = 'test/contract/errors.test.ts';
const STREAMS = 'test/contract/streams.test.ts';
const BROKEN = 'a reply that breaks the rules is one fixed fault: ${tool}';

export const GROUP_B: readonly Disposition[] = [
  {
    id: 'B1',
    title: 'A tool that is unknown or disabled',
    plain: { legacy: 'tool error', compat: '-32602', modern: '-32602' },
    disposition: 'identical',
    now: '-32602 `Unknown tool: …` everywhere.',
    proof: [{ file: CASES, tests: ['an unknown tool is a protocol error', 'a disabled tool is as unknown as any'] }],
  },
  {
    id: 'B2',
    title: 'Prefix of error texts',
    plain: { legacy: '`MCP error <code>: `', compat: 'none', modern: 'none' },
    disposition: 'identical',
    now: 'None.',
    proof: [{ file: CASES, tests: ['an unknown tool is a protocol error', 'a missing prompt argument is named'] }],
  },
  {
    id: 'B3',
    title: 'Texts about invalid arguments',
    plain: { legacy: '`… at a[0].b`, by lines', compat: '`a.0.b: …`, by commas', modern: '`a.0.b: …`, by commas' },
    disposition: 'identical',
    now: 'One text, with the path of every wrong argument.',
    proof: [
      {
        file: CASES,
        tests: [
          'a missing argument is named',
          'every wrong argument is named with its path',
          'a Valibot issue is named the same way',
        ],
      },
    ],
  },
  {
    id: 'B4',
    title: 'Calls without a name, or with arguments that are no object',
    plain: { legacy: '-32603 with a dump', compat: '-32602', modern: '-32602' },
    disposition: 'identical',
    now: '-32602 with one fixed text each.',
    proof: [
      {
        file: CASES,
        tests: [
          'null arguments are malformed',
          'array arguments are malformed',
          'a call without a name is malformed',
          'a name that is no text is malformed',
        ],
      },
    ],
  },
  {
    id: 'B5',
    title: 'A tool that returns nothing',
    plain: { legacy: '-32602', compat: 'an internal text', modern: 'an internal text' },
    disposition: 'identical',
    now: 'One fixed tool error; the cause goes to the operator.',
    proof: [{ file: CASES, tests: [BROKEN] }],
  },
  {
    id: 'B6',
    title: 'Structured content that is no object',
    plain: { legacy: 'refused', compat: 'wrapped in `result`', modern: 'sent as it is' },
    disposition: 'identical',
    now: 'The same fixed tool error.',
    proof: [{ file: CASES, tests: [BROKEN] }],
  },
  {
    id: 'B7',
    title: 'Wrong structured content without content',
    plain: { legacy: 'sent unchecked', compat: 'refused', modern: 'refused' },
    disposition: 'identical',
    now: 'Checked always; the same fixed tool error.',
    proof: [{ file: CASES, tests: [BROKEN, 'more than the output schema says is dropped'] }],
  },
  {
    id: 'B8',
    title: 'A result that JSON cannot carry',
    plain: { legacy: 'hangs', compat: 'ends without an answer', modern: 'hangs' },
    disposition: 'identical',
    now: 'The same fixed tool error, at once.',
    proof: [{ file: CASES, tests: [BROKEN, 'what JSON drops is dropped'] }],
  },
  {
    id: 'B9',
    title: 'A result above 2 MB',
    plain: { legacy: 'hangs', compat: 'fine', modern: 'fine' },
    disposition: 'identical',
    now: 'Arrives everywhere up to one limit, and above it there is one tool error.',
    proof: [
      { file: STREAMS, tests: ['%s: a result of 3 MB arrives whole'] },
      { file: CASES, tests: ['a result over the limit is refused'] },
    ],
  },
  {
    id: 'B10',
    title: "Tools that throw the other SDK's error",
    plain: { legacy: 'its own is an error', compat: 'its own is an error', modern: 'its own is an error' },
    disposition: 'identical',
    now: 'Whatever a tool throws is one fixed tool error. Tools cannot import an SDK.',
    proof: [
      { file: CASES, tests: ['a tool that throws does not show its cause'] },
      { file: 'test/node/layers.test.ts', tests: ['keep each SDK in its own lane'] },
    ],
  },
  {
    id: 'B11',
    title: 'Throwing -32042 to send the user to a page',
    plain: { legacy: 'a wire error', compat: 'a wire error', modern: '-32603 with an internal text' },
    disposition: 'identical',
    now: 'A thrown code means nothing; questions go through `ctx.ask`.',
    proof: [{ file: CASES, tests: ['a tool that throws does not show its cause'] }],
  },
  {
    id: 'B12',
    title: 'Resources that do not exist, and what is no URI',
    plain: { legacy: '-32602 and -32603', compat: '-32602 with data', modern: '-32602 with data' },
    disposition: 'identical',
    now: '-32602 with the URI in `data` everywhere. The 2025 protocols name -32002 for it, but neither SDK has ever sent that, and clients know what they were sent; 2026-07-28 asks for -32602.',
    proof: [{ file: CASES, tests: ['a missing member is an error with its URI', 'what is no URI is refused'] }],
  },
  {
    id: 'B13',
    title: 'A disabled resource template',
    plain: { legacy: 'can still be read', compat: 'refused', modern: 'refused' },
    disposition: 'identical',
    now: 'Not found on any lane.',
    proof: [{ file: CASES, tests: ['a disabled template cannot be read'] }],
  },
  {
    id: 'B14',
    title: "Keys of a result that are the newer protocol's own",
    plain: { legacy: 'plain data', compat: '-32602, or meaning', modern: '-32602, or meaning' },
    disposition: 'identical',
    now: 'The same fixed tool error, also for metadata under its names.',
    proof: [{ file: CASES, tests: [BROKEN, "metadata under the protocol's own names is refused"] }],
  },
  {
    id: 'B15',
    title: 'HTTP status of protocol errors',
    plain: { legacy: '200', compat: '200', modern: '404 for an unknown method, 400 for a missing capability' },
    disposition: 'documented',
    ours: { legacy: '200', compat: '200', modern: '404 for an unknown method, 400 for a missing capability' },
    reference: 'spec 2026-07-28, basic/transports; `LADDER_ERROR_HTTP_STATUS` of @modelcontextprotocol/server',
    why: 'Each protocol says its own. Code, text and data of the error are the same.',
    proof: [{ file: ERRORS, tests: ['%s: an unknown method is %d, an unknown tool %d'] }],
  },
  {
    id: 'B16',
    title: 'Type of the body',
    plain: { legacy: 'SSE', compat: 'SSE', modern: 'JSON, or SSE where something comes before the answer' },
    disposition: 'documented',
    ours: { legacy: 'SSE', compat: 'SSE', modern: 'JSON, or SSE where something comes before the answer' },
    reference:
      'spec 2025-11-25 and 2026-07-28, basic/transports; `perRequestTransport` of @modelcontextprotocol/server',
    why: 'Both protocols let the server choose, and every client has to read both.',
    proof: [{ file: STREAMS, tests: ['%s: the answer alone is %s, with progress before it %s'] }],
  },
  {
    id: 'B17',
    title: 'Type and CORS of errors that HTTP answers',
    plain: { legacy: 'text/plain without CORS', compat: 'JSON with CORS', modern: 'JSON with CORS' },
    disposition: 'identical',
    now: 'JSON with CORS everywhere.',
    proof: [{ file: ERRORS, tests: ['%s is refused in JSON that a browser may read'] }],
  },
  {
    id: 'B18',
    title: 'A lane that cannot start',
    plain: { legacy: 'an exception of the Durable Object', compat: '500 with id null', modern: '500 with the id' },
    disposition: 'documented',
    ours: {
      legacy: '500, -32603 `Internal error`, id null',
      compat: '500, -32603 `Internal server error`, with the id',
      modern: '500, -32603 `Internal server error`, with the id',
    },
    reference: '`internalServerErrorResponse` of @modelcontextprotocol/server',
    why: 'Nothing answered, so there is no meaning to keep equal. The cause reaches the operator on every lane and the client on none.',
    proof: [
      { file: 'test/contract/legacy-errors.test.ts', tests: ['legacy: 500 without the cause, which is reported'] },
      {
        file: ERRORS,
        tests: ['compat: 500 without the cause, which is reported', 'modern: 500 without the cause, which is reported'],
      },
    ],
  },
  {
    id: 'B19',
    title: 'Tools named like a property that every object has',
    plain: { legacy: '"disabled"', compat: '"disabled"', modern: '"disabled"' },
    disposition: 'identical',
    now: 'Unknown like any other name, and refused in a definition.',
    proof: [
      { file: CASES, tests: ['a name that every object has is unknown', '__proto__ is unknown'] },
      {
        file: 'test/node/catalogue-refusals-definitions.test.ts',
        tests: ['the name "%s", which every object has, is refused'],
      },
    ],
  },
  {
    id: 'B20',
    title: 'A call that asks to become a task',
    plain: { legacy: '-32603', compat: 'answered at once', modern: 'answered at once' },
    disposition: 'identical',
    now: 'Answered at once everywhere: tasks are not offered, so the wish is ignored.',
    proof: [{ file: CASES, tests: ['a call that asks to be a task is answered at once'] }],
  },
  {
    id: 'B21',
    title: 'Content that the agreed protocol version does not have: audio, links, structured content alone',
    plain: {
      legacy: 'sent as it is; an older client loses the whole result',
      compat: 'sent as it is; an older client loses the whole result',
      modern: 'does not arise',
    },
    disposition: 'identical',
    now: 'Audio becomes an embedded resource before 2025-03-26, a link a text before 2025-06-18, and structured content is told as text too. Other members that a version does not name are left in, since every version allows them.',
    proof: [
      { file: 'test/node/versions.test.ts', tests: ['%s for %s', '%s: the text has what the client may not see'] },
      { file: 'test/contract/versions.test.ts', tests: ['%s, %s', 'legacy: the same on the old transport'] },
    ],
  },
  {
    id: 'B22',
    title: 'Structured content of an error reply that does not fit the output schema',
    plain: { legacy: 'an SDK v1 client throws', compat: 'an SDK v1 client throws', modern: 'returned' },
    disposition: 'identical',
    now: 'Told as text in place of structured content, so the model sees the refusal with every client.',
    proof: [
      {
        file: CASES,
        tests: [
          'an error reply keeps structured content that fits its output schema',
          'structured content of an error reply that does not fit is told as text',
        ],
      },
    ],
  },
  {
    id: 'B23',
    title: 'Half of a surrogate pair in a text',
    plain: { legacy: 'escaped; strict readers lose the message', compat: 'the same', modern: 'the same' },
    disposition: 'identical',
    now: 'U+FFFD, wherever a text leaves: results, listings, errors, notifications and questions.',
    proof: [{ file: 'test/contract/torn.test.ts', tests: ['%s of %j', 'in progress and log messages'] }],
  },
];
