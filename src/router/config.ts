/**
 * The settings of request validation: the Worker's environment variables over the defaults that the options give. Read
 * once per environment. A bad value is an error that names the variable.
 */

export interface DoorConfig {
  /** Hostnames this Worker answers to; `*.` at the front stands for any one or more labels. `*` alone for all. */
  readonly allowedHosts: readonly string[];
  /** Hostnames of pages that may call, beside the request's own host. `*` alone for all. */
  readonly allowedOrigins: readonly string[];
  readonly maxBodyBytes: number;
  /** How long a request may take until its answer begins, its body included. */
  readonly answerDeadlineMs: number;
  /** How long the stream that answers a POST may stay open. */
  readonly callStreamMs: number;
  /** How long a stream that a client listens on may stay open; the client opens the next one. */
  readonly listenStreamMs: number;
  /** True where a 2025 client of /mcp that needs a session is given one on the legacy lane. */
  readonly keepSessions: boolean;
  /** True for one line a request in the log; reports of faults are written in any case. */
  readonly logRequests: boolean;
}

type NumberVar = 'MAX_BODY_BYTES' | 'ANSWER_DEADLINE_MS' | 'CALL_STREAM_MS' | 'LISTEN_STREAM_MS';

/** The variables that configure the door; every one is optional. */
export type DoorVars = Readonly<Partial<Record<NumberVar, string | number>>> & {
  readonly ALLOWED_HOSTS?: string;
  readonly ALLOWED_ORIGINS?: string;
  readonly LOG_LEVEL?: string;
  readonly KEEP_SESSIONS?: string;
};

const LOCALHOST = ['localhost', '127.0.0.1', '[::1]'] as const;
const MINUTE_MS = 60_000;
/** The longest delay that a timer can hold. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface Range {
  readonly usual: number;
  readonly largest: number;
}

const NUMBERS: Readonly<Record<NumberVar, Range>> = {
  // 4 MiB, as both packages have it. A Worker's memory is 128 MB, and a body is held as bytes, as text and as JSON.
  MAX_BODY_BYTES: { usual: 4 * 1024 * 1024, largest: 16 * 1024 * 1024 },
  // Longer than the 60 s that a tool may take, so that the tool's own deadline is the one that answers.
  ANSWER_DEADLINE_MS: { usual: 70_000, largest: LONGEST_TIMER_MS },
  // A question to the user may take 10 minutes.
  CALL_STREAM_MS: { usual: 15 * MINUTE_MS, largest: LONGEST_TIMER_MS },
  LISTEN_STREAM_MS: { usual: 60 * MINUTE_MS, largest: LONGEST_TIMER_MS },
};

/** What holds where no variable says otherwise. */
export type ConfigDefaults = Partial<Omit<DoorConfig, 'logRequests'>>;

/**
 * Reads the settings of an environment, and remembers them.
 * The reader throws a TypeError that names the variable and what it may be, and not what it is: a secret may stand in the
 * wrong one.
 */
export function createConfig(defaults: ConfigDefaults = {}): (env: object) => DoorConfig {
  const known = new WeakMap<object, DoorConfig>();
  return (env) => {
    const earlier = known.get(env);
    if (earlier !== undefined) return earlier;
    const read = readDoorConfig(env, defaults);
    known.set(env, read);
    return read;
  };
}

export function readDoorConfig(vars: DoorVars, defaults: ConfigDefaults = {}): DoorConfig {
  return {
    allowedHosts: listOf('ALLOWED_HOSTS', vars.ALLOWED_HOSTS) ??
      defaults.allowedHosts ?? [...LOCALHOST, '*.workers.dev'],
    allowedOrigins: listOf('ALLOWED_ORIGINS', vars.ALLOWED_ORIGINS) ?? defaults.allowedOrigins ?? LOCALHOST,
    maxBodyBytes: numberOf('MAX_BODY_BYTES', vars, defaults.maxBodyBytes),
    answerDeadlineMs: numberOf('ANSWER_DEADLINE_MS', vars, defaults.answerDeadlineMs),
    callStreamMs: numberOf('CALL_STREAM_MS', vars, defaults.callStreamMs),
    listenStreamMs: numberOf('LISTEN_STREAM_MS', vars, defaults.listenStreamMs),
    logRequests: logsRequests(vars.LOG_LEVEL),
    keepSessions: isOn(vars.KEEP_SESSIONS, defaults.keepSessions ?? false),
  };
}

/** `*`, `*.example.com`, a name, an IPv4 address, or an IPv6 address in brackets; no scheme, no port. */
const HOST_ENTRY = /^(\*|(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/;

function listOf(name: 'ALLOWED_HOSTS' | 'ALLOWED_ORIGINS', text: string | undefined): readonly string[] | undefined {
  const items = (text ?? '')
    .split(',')
    .map((item) => item.trim().toLowerCase())
    .filter((item) => item !== '');
  if (!items.every((item) => HOST_ENTRY.test(item))) {
    throw new TypeError(
      `The variable ${name} has an entry that is no host name. Use names divided by commas, without scheme and port, for example app.example.com,*.example.org`,
    );
  }
  return items.length === 0 ? undefined : items;
}

function numberOf(name: NumberVar, vars: DoorVars, given: number | undefined): number {
  const { usual, largest } = NUMBERS[name];
  const value = vars[name];
  if (value === undefined || value === '') return given ?? usual;
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1 || number > largest) {
    throw new TypeError(`The variable ${name} must be a whole number from 1 to ${largest}.`);
  }
  return number;
}

function logsRequests(level: string | undefined): boolean {
  if (level === undefined || level === '' || level === 'error') return false;
  if (level === 'info') return true;
  throw new TypeError('The variable LOG_LEVEL must be info or error.');
}

function isOn(value: string | undefined, usual: boolean): boolean {
  if (value === undefined || value === '') return usual;
  if (value === 'off') return false;
  if (value === 'on') return true;
  throw new TypeError('The variable KEEP_SESSIONS must be on or off.');
}
