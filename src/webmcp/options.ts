/** What a page says and gets: the options, the handle, the problems, and their check. */
import type { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** The two classes of SDK v2's client that are used; a page that has them already hands them over. */
export interface ClientLibrary {
  /** SDK v2's `Client`. */
  readonly Client: typeof Client;
  /** SDK v2's transport. */
  readonly StreamableHTTPClientTransport: typeof StreamableHTTPClientTransport;
}

/** Why a value is asked for: for every request, and once more after the server answered 401 to what was given before. */
export interface Asking {
  /** The server has just refused the value that was given before: give a new one. */
  readonly refused: boolean;
}

/** A value, or a function that is called for each request. */
export type PerRequest<T> = T | ((asking: Asking) => T | Promise<T>);

/** What a tool wants to know of the user. */
export interface Question {
  /** The words of the server. Foreign text: show it as text, never as mark-up. */
  readonly message: string;
  /** JSON Schema of the answer: an object of texts, numbers, booleans and choices. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Aborted once nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** What the user said. */
export type Answer =
  | { readonly action: 'accept'; readonly content: Record<string, string | number | boolean | string[]> }
  | { readonly action: 'decline' | 'cancel' };

/** What did not work, in words; the other tools are there. */
export interface Problem {
  readonly kind:
    | 'name-taken'
    | 'tool-refused'
    | 'tool-too-large'
    | 'unreachable'
    | 'slow'
    | 'unauthorized'
    | 'forbidden'
    | 'gone'
    | 'busy'
    | 'server-error'
    | 'not-mcp'
    | 'no-client';
  /** One sentence with the remedy. */
  readonly message: string;
  /** The server's name of the tool that it is about. */
  readonly tool?: string;
}

/** What `registerServerTools` may be told beside the URL. */
export interface ServerToolsOptions {
  /** Headers of each request. A function is asked each time, and again after a 401. */
  readonly headers?: PerRequest<Readonly<Record<string, string>>>;
  /** The same for the one header `Authorization: Bearer …`; undefined sends none. */
  readonly token?: PerRequest<string | undefined>;
  /** Stands before the name of each tool, or a function that makes the name. */
  readonly prefix?: string | ((name: string) => string);
  /** Puts a question of a tool to the user. Without it such a tool refuses, and says why. */
  readonly ask?: (question: Question) => Promise<Answer>;
  /** What a tool's own error becomes: a rejection, or a value `{ error }` for an agent that is not told why a call was rejected. Default: `reject`. */
  readonly errors?: 'reject' | 'value';
  /** Milliseconds for one answer, without the time in which the user is asked. Default: 60,000. */
  readonly timeoutMs?: number;
  /** Disposes of everything when it is aborted. */
  readonly signal?: AbortSignal;
  /** Called whenever the tools or the status have changed. */
  readonly onChange?: (tools: ServerTools) => void;
  /** Told once of each problem. Default: a warning on the console. */
  readonly onProblem?: (problem: Problem) => void;
  /** Loads SDK v2's client. Default: the one that this module brings, loaded if the browser has a model context. */
  readonly client?: () => Promise<ClientLibrary>;
}

/** The tools of one server in this page. */
export interface ServerTools extends AsyncDisposable {
  /** `unsupported`: this browser has no model context. `waiting`: the server is tried again by itself. `failed`: it is not. */
  readonly status: 'registered' | 'waiting' | 'failed' | 'unsupported' | 'disposed';
  /** The names under which tools are registered. */
  readonly tools: readonly string[];
  /** Every problem that stands. */
  readonly problems: readonly Problem[];
  /** The era of the protocol that the server was reached in, once it was: `modern` is 2026-07-28, `legacy` is 2025. */
  readonly era: 'modern' | 'legacy' | undefined;
  /** Reads the list again, over a new connection if the last one failed. */
  refresh(): Promise<void>;
  /** Takes every tool away, ends the session, closes every connection. */
  dispose(): Promise<void>;
}

const KNOWN: ReadonlySet<string> = new Set<keyof ServerToolsOptions>([
  'headers',
  'token',
  'prefix',
  'ask',
  'errors',
  'timeoutMs',
  'signal',
  'onChange',
  'onProblem',
  'client',
]);
const FUNCTIONS = ['ask', 'onChange', 'onProblem', 'client'] as const;
/** The largest time that a timer of a browser takes. */
export const LONGEST_MS = 2 ** 31 - 1;
const USUAL_TIMEOUT_MS = 60_000;

/** @throws TypeError that names each option which cannot be used, with its remedy. */
export function checkOptions(url: unknown, options: ServerToolsOptions): { address: URL; timeoutMs: number } {
  const { timeoutMs = USUAL_TIMEOUT_MS, errors = 'reject' } = options;
  const address = URL.parse(String(url), (globalThis as { location?: { href: string } }).location?.href);
  const problems = [
    ...(address === null || !/^https?:$/.test(address.protocol)
      ? [`the URL "${String(url)}" cannot be used: give the http or https URL of an MCP server, or a path`]
      : []),
    ...Object.keys(options)
      .filter((key) => !KNOWN.has(key))
      .map((key) => `there is no option "${key}": use one of ${[...KNOWN].join(', ')}`),
    ...FUNCTIONS.filter((key) => options[key] !== undefined && typeof options[key] !== 'function').map(
      (key) => `"${key}" is no function: give one, or leave it out`,
    ),
    ...(Number.isInteger(timeoutMs) && timeoutMs > 0 && timeoutMs <= LONGEST_MS
      ? []
      : [`"timeoutMs" must be a whole number from 1 to ${LONGEST_MS}`]),
    ...(['reject', 'value'].includes(errors) ? [] : ['"errors" must be "reject" or "value"']),
  ];
  if (address === null || problems.length > 0) throw new TypeError(`registerServerTools: ${problems.join('; ')}.`);
  return { address, timeoutMs };
}
