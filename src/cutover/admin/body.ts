/** The bodies of the operator's API: read once, within a limit, into named types. What is not asked for is refused. */
import * as v from 'valibot';
import { given, refuse, type Problem, type Result } from './answer.ts';

/** Far more than any change needs. */
const MAX_BODY_BYTES = 64 * 1024;

/** One line for people: no control characters, which would act on the terminal that shows the log. */
const line = (max: number) =>
  v.pipe(
    v.string(),
    v.trim(),
    v.minLength(1, 'must not be empty'),
    v.maxLength(max, `must have at most ${max} characters`),
    v.regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, 'must be one line without control characters'),
  );

const who = v.optional(line(200));
const why = line(1_000);
const count = (min: number, max: number) => {
  const rule = `must be a whole number from ${min} to ${max}`;
  return v.pipe(v.number(), v.integer(rule), v.minValue(min, rule), v.maxValue(max, rule));
};

export const BrakeBody = v.strictObject({ on: v.boolean(), who, why });

/** How many sessions one request may change: each is a request of its own, and a Worker may make so many. */
export const MAX_SESSIONS = 200;

const Selection = {
  session: v.optional(v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,128}$/, 'must be a session id'))),
  client: v.optional(line(200)),
  version: v.optional(line(200)),
  all: v.optional(v.literal(true)),
  olderThanMs: v.optional(count(0, Number.MAX_SAFE_INTEGER)),
  limit: v.optional(count(1, MAX_SESSIONS), 50),
  /** So many of the oldest: those that failed before are the first ones again. */
  skip: v.optional(count(0, Number.MAX_SAFE_INTEGER), 0),
  dryRun: v.optional(v.boolean(), false),
  who,
};

export const SessionsBody = v.pipe(
  v.strictObject({ ...Selection, why: v.optional(why) }),
  v.check(
    ({ session, client, all }) => [session, client, all].filter((given) => given !== undefined).length === 1,
    'say whose sessions: one of session, client or all',
  ),
  v.check(({ client, version }) => version === undefined || client !== undefined, 'version goes with client'),
  v.check(
    ({ session, olderThanMs }) => session === undefined || olderThanMs === undefined,
    'olderThanMs does not go with session',
  ),
  v.check(({ dryRun, why }) => dryRun || why !== undefined, 'why is required, except with dryRun'),
);
export type SessionsChange = v.InferOutput<typeof SessionsBody>;

/** A change that was made elsewhere, of a flag for example, told so that one log has everything. */
export const AuditBody = v.strictObject({
  action: v.pipe(v.string(), v.regex(/^flag_[a-z_]{1,40}$/, 'must begin with flag_')),
  detail: v.record(v.string(), v.union([v.string(), v.number(), v.boolean(), v.null()])),
  who,
  why,
});

export async function readBody<Schema extends v.GenericSchema>(
  request: Request,
  schema: Schema,
): Promise<Result<v.InferOutput<Schema>>> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json *(;|$)/i.test(type)) {
    return refuse({ ...badRequest('The body must be JSON', 'Send Content-Type: application/json.'), status: 415 });
  }
  const text = await textWithin(request, MAX_BODY_BYTES);
  if (text === undefined)
    return refuse({ ...badRequest('The body is too large', 'Send less than 64 KiB.'), status: 413 });
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson()), text);
  if (!parsed.success) return refuse(badRequest('The body is not JSON', 'Send one JSON object.'));
  const read = v.safeParse(schema, parsed.output);
  if (read.success) return given(read.output);
  return refuse(
    badRequest(`The body cannot be taken: ${read.issues.map(issueText).join('; ')}`, 'See docs/runbook.md.'),
  );
}

export const badRequest = (message: string, remedy: string): Problem => ({
  status: 400,
  code: 'bad_request',
  message,
  remedy,
});

/** Names the place and what is expected there, and not what was sent: it may be a secret in the wrong place. */
function issueText({ kind, type, message, expected, received, path }: v.BaseIssue<unknown>): string {
  const place = path?.map(({ key }) => String(key)).join('.');
  const words = (): string => {
    if (kind === 'validation') return message;
    if (expected === 'never') return 'is not known here';
    if (type === 'strict_object' && received === 'undefined') return 'is missing';
    return `must be ${expected?.toLowerCase() ?? 'something else'}`;
  };
  return place === undefined ? words() : `${place} ${words()}`;
}

async function textWithin(request: Request, maxBytes: number): Promise<string | undefined> {
  if (request.body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  const reader = (request.body as ReadableStream<Uint8Array>).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.byteLength;
    if (size > maxBytes) {
      await reader.cancel();
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}
