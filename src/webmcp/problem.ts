/** What an error of the client or of `fetch` means to a page, in words with a remedy. Pure. */
import type { Problem } from './options.ts';

type ServerProblem = Exclude<Problem['kind'], 'name-taken' | 'tool-refused' | 'tool-too-large'>;

/** These may pass by themselves. */
const PASSING: ReadonlySet<Problem['kind']> = new Set(['unreachable', 'slow', 'busy', 'server-error']);

export const mayPass = ({ kind }: Problem): boolean => PASSING.has(kind);

/** The client that was to be loaded is not there. */
export class NoClientError extends Error {}

/** Of the list of tools, which is read again by itself if that may help. */
export function problemOf(error: unknown, url: URL): Problem {
  const kind = kindOf(error);
  const more = PASSING.has(kind) ? ' It is tried again by itself.' : '';
  return { kind, message: `The MCP server at ${url.href} ${WORDS[kind]}${more}${detail(error)}` };
}

/** Of a call, for a model: what the server answered says more than how it was sent. */
export function callProblem(error: unknown, url: URL): string {
  const code = codeOf(error);
  if (code === MISSING_CAPABILITY) return `${messageOf(error)}. ${NOBODY_TO_ASK}`;
  if (code !== undefined) return messageOf(error);
  const kind = kindOf(error);
  if (kind === 'not-mcp' && detail(error) === '') return messageOf(error);
  return `The MCP server at ${url.href} ${WORDS[kind]}${detail(error)}`;
}

const MISSING_CAPABILITY = -32_021;
const NOBODY_TO_ASK = 'This page puts no questions to its user: it has to give registerServerTools a function "ask".';
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const WORDS: Readonly<Record<ServerProblem, string>> = {
  unreachable: 'cannot be reached: it is away, or it does not allow this page to call it (CORS).',
  slow: 'did not answer in time.',
  unauthorized: 'wants a sign-in: give a "token" or "headers", and call refresh() once the user has signed in.',
  forbidden: 'refuses this page or this user (403).',
  gone: 'has left this URL (410).',
  busy: 'is asked too often (429).',
  'server-error': 'has failed.',
  'not-mcp': 'did not answer as an MCP server does: look at the URL.',
  'no-client': 'was not called: the MCP client could not be loaded.',
};

function kindOf(error: unknown): ServerProblem {
  if (error instanceof NoClientError) return 'no-client';
  const status = statusOf(error);
  if (status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  if (status === 410) return 'gone';
  if (status === 429) return 'busy';
  if (status !== undefined) return status >= 500 ? 'server-error' : 'not-mcp';
  const chain = [...causes(error)];
  if (chain.some(({ code, name }) => code === 'REQUEST_TIMEOUT' || name === 'TimeoutError')) return 'slow';
  if (chain.some((one) => one instanceof TypeError)) return 'unreachable';
  return 'not-mcp';
}

/** The HTTP status that an error is about, if it is about one. */
export function statusOf(error: unknown): number | undefined {
  for (const one of causes(error)) {
    const { status = (one['data'] as { status?: unknown } | undefined)?.status } = one;
    if (typeof status === 'number') return status;
  }
  return undefined;
}

/** The code of a JSON-RPC error that the server answered. */
export function codeOf(error: unknown): number | undefined {
  for (const { code } of causes(error)) {
    // Errors of the browser have codes too: small numbers, from before they had names.
    if (typeof code === 'number' && code < 0) return code;
  }
  return undefined;
}

/** What the server itself said, which an answer has as JSON-RPC or as text. */
function detail(error: unknown): string {
  for (const one of causes(error)) {
    const text = (one['data'] as { text?: unknown } | undefined)?.text;
    if (typeof text === 'string' && text !== '') return ` It said: ${saidIn(text).slice(0, 500)}`;
  }
  return '';
}

function saidIn(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } };
    return typeof error?.message === 'string' ? error.message : text;
  } catch {
    return text;
  }
}

function* causes(error: unknown): Generator<Readonly<Record<string, unknown>>> {
  let one = error;
  for (let depth = 0; depth < 8 && typeof one === 'object' && one !== null; depth += 1) {
    yield one as Readonly<Record<string, unknown>>;
    const { cause, data } = one as { cause?: unknown; data?: { cause?: unknown } };
    one = cause ?? data?.cause;
  }
}
