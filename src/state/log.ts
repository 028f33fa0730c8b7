/**
 * The one place that writes to the log, one line of JSON per event. Nothing that a client sent is ever in one, and no message
 * of an error either: a tool's error may repeat an argument, an SDK's a whole body. An error is told by its class, its
 * code and the places that it came from, and the first of those is the line with the message in it.
 */
import { ConfigurationProblems } from '../shared/configuration.ts';
import type { Report, Reporter } from '../shared/pipeline/report.ts';

/** One request, when its answer has begun or, where that streams, ended. */
export interface RequestLine {
  readonly request: string;
  readonly route: string;
  readonly lane: string;
  /** Why that lane, or why the door refused. */
  readonly reason: string;
  readonly method: string;
  readonly tool: string | null;
  readonly verdict: string;
  readonly status: number;
  readonly ms: number;
}

export function writeRequest(line: RequestLine): void {
  console.log(JSON.stringify({ level: 'info', ...line }));
}

export const consoleReporter: Reporter = (report) => {
  const line = reportLine(report);
  if (line.level === 'error') console.error(JSON.stringify(line));
  else console.warn(JSON.stringify(line));
};

export function reportLine({ fault, tool, cause }: Report) {
  return {
    // The SDKs report what clients do wrong as well, so their reports alone are no reason to wake somebody.
    level: WARNINGS.has(fault) ? 'warn' : 'error',
    fault,
    // Sentences of our own, with names of variables and bindings and no values. Where they were put together helps nobody.
    ...(cause instanceof ConfigurationProblems
      ? { problems: cause.problems }
      : { tool: tool ?? null, error: describe(cause, MAX_CAUSES) }),
  } as const;
}

const WARNINGS: ReadonlySet<Report['fault']> = new Set([
  'sdk_error',
  'configuration_warning',
  'notification_failed',
  'flag_missing',
]);
const MAX_CAUSES = 4;
const MAX_FRAMES = 8;

interface Described {
  readonly name: string;
  readonly code?: number | string;
  readonly at?: readonly string[];
  readonly cause?: Described;
}

function describe(cause: unknown, left: number): Described {
  if (!(cause instanceof Error)) return { name: typeof cause };
  const { code } = cause as { code?: unknown };
  const at = framesOf(cause);
  return {
    name: safeWord(cause.constructor.name) ?? 'Error',
    ...(typeof code === 'number' && { code }),
    ...(at.length > 0 && { at }),
    ...(cause.cause !== undefined && left > 1 && { cause: describe(cause.cause, left - 1) }),
  };
}

/** A class name as a program has it: `error.name` could be set to anything. */
const safeWord = (text: string): string | undefined => (/^[A-Za-z_$][\w$]{0,63}$/.test(text) ? text : undefined);

/** The stack without its message. Of a message with lines of its own nothing is known for sure, so nothing is kept. */
function framesOf(error: Error): readonly string[] {
  const stack = error.stack ?? '';
  const head = `${error.name}${error.message === '' ? '' : `: ${error.message}`}`;
  if (error.message.includes('\n') || !stack.startsWith(`${head}\n`)) return [];
  return stack
    .slice(head.length + 1)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '))
    .slice(0, MAX_FRAMES);
}
