/**
 * The settings of request validation: the Worker's environment variables over the defaults that the options give. Every
 * problem is a sentence that names the variable and what it may be, and not what it is: a secret may stand in the wrong
 * one. Pure.
 */

export interface DoorConfig {
  /** Hostnames this Worker answers to; `*.` at the front stands for any one or more labels. `*` alone for all. */
  readonly allowedHosts: readonly string[];
  /** Hostnames of pages that may call, beside the request's own host. `*` alone for all. */
  readonly allowedOrigins: readonly string[];
  /** Names of request headers that pages may send, beside the protocols' own. */
  readonly allowedHeaders: readonly string[];
  readonly maxBodyBytes: number;
  /** How long a request may take until its answer begins, its body included. */
  readonly answerDeadlineMs: number;
  /** How long the stream that answers a POST may stay open. */
  readonly callStreamMs: number;
  /** How long a stream that a client listens on may stay open; the client opens the next one. */
  readonly listenStreamMs: number;
  /** True where a 2025 client of /mcp that needs a session is given one on the legacy lane. */
  readonly keepSessions: boolean;
  /** True for one line per request in the log; reports of faults are written in any case. */
  readonly logRequests: boolean;
  /** Headers that tell clients of the legacy routes when these will end. */
  readonly deprecation?: Readonly<Record<string, string>>;
}

interface NumberSetting {
  readonly variable: string;
  readonly usual: number;
  readonly largest: number;
}

const MINUTE_MS = 60_000;
/** The longest delay that a timer can hold. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Each is at least 1. */
export const NUMBERS = {
  // 4 MiB, as both packages have it. A Worker's memory is 128 MB, and a body is held as bytes, as text and as JSON.
  maxBodyBytes: { variable: 'MAX_BODY_BYTES', usual: 4 * 1024 * 1024, largest: 16 * 1024 * 1024 },
  // Longer than the 60 s that a tool may take, so that the tool's own deadline is the one that answers.
  answerDeadlineMs: { variable: 'ANSWER_DEADLINE_MS', usual: 70_000, largest: LONGEST_TIMER_MS },
  // A question to the user may take 10 minutes.
  callStreamMs: { variable: 'CALL_STREAM_MS', usual: 15 * MINUTE_MS, largest: LONGEST_TIMER_MS },
  listenStreamMs: { variable: 'LISTEN_STREAM_MS', usual: 60 * MINUTE_MS, largest: LONGEST_TIMER_MS },
} as const satisfies Partial<Record<keyof DoorConfig, NumberSetting>>;

interface ListSetting {
  readonly variable: string;
  readonly usual: readonly string[];
  /** Of an entry in small letters. */
  readonly form: RegExp;
  /** What an entry is not, and what to write. */
  readonly problem: string;
  readonly remedy: string;
}

const LOCALHOST = ['localhost', '127.0.0.1', '[::1]'] as const;
/** `*`, `*.example.com`, a name, an IPv4 address, or an IPv6 address in brackets; no scheme, no port. */
const HOST = {
  form: /^(\*|(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/,
  problem: 'has an entry that is no host name.',
  remedy: 'without scheme and port, for example app.example.com,*.example.org',
} as const;

export const LISTS = {
  allowedHosts: { variable: 'ALLOWED_HOSTS', usual: [...LOCALHOST, '*.workers.dev'], ...HOST },
  allowedOrigins: { variable: 'ALLOWED_ORIGINS', usual: LOCALHOST, ...HOST },
  allowedHeaders: {
    variable: 'ALLOWED_HEADERS',
    usual: [],
    // A token (RFC 9110, "Field Names").
    form: /^[a-z0-9!#$%&'*+.^_`|~-]{1,64}$/,
    problem: 'has an entry that is no name of a header.',
    remedy: 'for example X-Tenant,X-Request-Id',
  },
} as const satisfies Partial<Record<keyof DoorConfig, ListSetting>>;

type NumberVar = (typeof NUMBERS)[keyof typeof NUMBERS]['variable'];
type ListVar = (typeof LISTS)[keyof typeof LISTS]['variable'];

/** The variables that configure the door; every one is optional. */
export type DoorVars = Readonly<Partial<Record<NumberVar, string | number>>> &
  Readonly<Partial<Record<ListVar | 'LOG_LEVEL' | 'KEEP_SESSIONS', string>>>;

/** What holds where no variable says otherwise. */
export type ConfigDefaults = Partial<Omit<DoorConfig, 'logRequests' | 'deprecation'>>;

export interface ConfigRead {
  /** Where a variable has a problem, what holds without it. */
  readonly config: DoorConfig;
  /** The Worker answers nothing before these are corrected. */
  readonly problems: readonly string[];
  /** What an operator should know of what was asked for. */
  readonly warnings: readonly string[];
}

export function readConfig(vars: DoorVars, defaults: ConfigDefaults = {}): ConfigRead {
  const problems: string[] = [];
  const word = (variable: 'LOG_LEVEL' | 'KEEP_SESSIONS', on: string, off: string): boolean | undefined => {
    const value = vars[variable] ?? '';
    if (value !== '' && value !== on && value !== off) {
      problems.push(`The variable ${variable} must be ${on} or ${off}.`);
    }
    return value === '' ? undefined : value === on;
  };
  const number = (key: keyof typeof NUMBERS): number => {
    const { variable, usual, largest } = NUMBERS[key];
    const value = vars[variable];
    const otherwise = defaults[key] ?? usual;
    if (value === undefined || value === '') return otherwise;
    if (isNumberUpTo(largest, Number(value))) return Number(value);
    problems.push(`The variable ${variable} must be a whole number from 1 to ${largest}.`);
    return otherwise;
  };
  const list = (key: keyof typeof LISTS): readonly string[] => {
    const { variable, usual, form, problem, remedy } = LISTS[key];
    const items = (vars[variable] ?? '')
      .split(',')
      .map((item) => item.trim().toLowerCase())
      .filter((item) => item !== '');
    const good = items.every((item) => form.test(item));
    if (!good) problems.push(`The variable ${variable} ${problem} Use names divided by commas, ${remedy}`);
    return good && items.length > 0 ? items : (defaults[key]?.map((item) => item.toLowerCase()) ?? usual);
  };

  const config: DoorConfig = {
    allowedHosts: list('allowedHosts'),
    allowedOrigins: list('allowedOrigins'),
    allowedHeaders: list('allowedHeaders'),
    maxBodyBytes: number('maxBodyBytes'),
    answerDeadlineMs: number('answerDeadlineMs'),
    callStreamMs: number('callStreamMs'),
    listenStreamMs: number('listenStreamMs'),
    logRequests: word('LOG_LEVEL', 'info', 'error') ?? false,
    keepSessions: word('KEEP_SESSIONS', 'on', 'off') ?? defaults.keepSessions ?? false,
  };
  return { config, problems, warnings: config.allowedOrigins.includes('*') ? [ANY_ORIGIN] : [] };
}

const ANY_ORIGIN =
  'ALLOWED_ORIGINS is "*": every page that a user opens may call this Worker, and read what it answers. Name the hosts of the pages that need it, for example app.example.com.';

export const isNumberUpTo = (largest: number, value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= largest;
