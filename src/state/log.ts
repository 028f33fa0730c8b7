/** Writes reports as one line of JSON each. No argument, result, token, session id or handle is ever in one. */
import type { Reporter } from '../shared/pipeline/report.ts';

export const consoleReporter: Reporter = ({ fault, tool, cause }) => {
  const error =
    cause instanceof Error
      ? { name: cause.name, message: cause.message }
      : { name: typeof cause, message: String(cause) };
  console.error(JSON.stringify({ level: 'error', fault, tool: tool ?? null, error }));
};
