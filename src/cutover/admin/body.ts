/** The bodies of the operator's API: read once, within a limit, into named types. What is not asked for is refused. */
import * as v from 'valibot';
import { oneLine } from '../../shared/one-line.ts';
import { given, refuse, type Problem, type Result } from './answer.ts';

/** Far more than any change needs. */
const MAX_BODY_BYTES = 64 * 1024;
/** A body of that size needs a moment. */
const BODY_DEADLINE_MS = 10_000;

/** One line for people: no control characters, which would act on the terminal that shows the log. */
export const line = (max: number) =>
  v.pipe(
    v.string(),
    v.trim(),
    v.minLength(1, 'must not be empty'),
    v.maxLength(max, `must have at most ${max} characters`),
    v.regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, 'must be one line without control characters'),
  );

export const who = v.optional(line(200));
export const why = line(1_000);
export const count = (min: number, max: number) => {
  const rule = `must be a whole number from ${min} to ${max}`;
  return v.pipe(v.number(), v.integer(rule), v.minValue(min, rule), v.maxValue(max, rule));
};

export const BrakeBody = v.pipe(
  v.strictObject({ on: v.boolean(), who, why: v.optional(why) }),
  // Who has to brake may say why when it is done.
  v.check(({ on, why }) => on || why !== undefined, 'why is missing'),
);

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

/** Letters between the stars, so that no slip of a finger means everybody. */
const pattern = v.pipe(line(200), v.regex(/[^*]/, 'must have more than stars'));

export const ForgetBody = v.pipe(
  v.strictObject({
    client: v.optional(pattern),
    version: v.optional(line(200)),
    atMostCalls: v.optional(count(1, Number.MAX_SAFE_INTEGER)),
    dryRun: v.optional(v.boolean(), false),
    who,
    why: v.optional(why),
  }),
  v.check(
    ({ client, atMostCalls }) => client !== undefined || atMostCalls !== undefined,
    'say which clients: client, atMostCalls or both',
  ),
  v.check(({ client, version }) => version === undefined || client !== undefined, 'version goes with client'),
  v.check(({ dryRun, why }) => dryRun || why !== undefined, 'why is required, except with dryRun'),
);

/** A change that was made elsewhere, of a flag for example, told so that one log has everything. */
export const AuditBody = v.strictObject({
  action: v.pipe(v.string(), v.regex(/^flag_[a-z_]{1,40}$/, 'must begin with flag_')),
  detail: v.record(line(100), v.union([line(1_000), v.literal(''), v.number(), v.boolean(), v.null()])),
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
  if (text === 'too_large')
    return refuse({ ...badRequest('The body is too large', 'Send less than 64 KiB.'), status: 413 });
  if (text === 'too_slow') return refuse(TOO_SLOW);
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson()), text.read);
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

const TOO_SLOW: Problem = {
  status: 408,
  code: 'body_too_slow',
  message: `The body took more than ${BODY_DEADLINE_MS} ms`,
  remedy: 'Send it in one piece.',
};

/** Names the place and what is expected there, and not what was sent: it may be a secret in the wrong place. */
function issueText({ kind, type, message, expected, received, path }: v.BaseIssue<unknown>): string {
  const place = path?.map(({ key }) => oneLine(String(key), LONGEST_PLACE)).join('.');
  const words = (): string => {
    if (kind === 'validation') return message;
    if (expected === 'never') return 'is not known here';
    if (type === 'strict_object' && received === 'undefined') return 'is missing';
    return `must be ${expected?.toLowerCase() ?? 'something else'}`;
  };
  return place === undefined ? words() : `${place} ${words()}`;
}

const LONGEST_PLACE = 100;

/** Whoever has signed in may still be cut off in the middle of a body, and a request must end. */
async function textWithin(
  request: Request,
  maxBytes: number,
): Promise<{ readonly read: string } | 'too_large' | 'too_slow'> {
  if (request.body === null) return { read: '' };
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  const reader = (request.body as ReadableStream<Uint8Array>).getReader();
  const late = Promise.withResolvers<'too_slow'>();
  const timer = setTimeout(() => late.resolve('too_slow'), BODY_DEADLINE_MS);
  try {
    for (;;) {
      const next = await Promise.race([reader.read(), late.promise]);
      if (next === 'too_slow') return stopped(reader, next);
      if (next.done) return { read: text + decoder.decode() };
      size += next.value.byteLength;
      if (size > maxBytes) return stopped(reader, 'too_large');
      text += decoder.decode(next.value, { stream: true });
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Not waited for: whoever sends may be as slow in stopping. */
function stopped<Why>(reader: ReadableStreamDefaultReader<Uint8Array>, why: Why): Why {
  reader.cancel().catch(() => undefined);
  return why;
}
