/** Who calls, from the properties that a sign-in in front of the Worker puts on the execution context. Pure. */
import { isPlainObject } from '../shared/json.ts';

/**
 * The `subject` of the properties, as @cloudflare/workers-oauth-provider hands them on. Undefined without a sign-in;
 * nothing that a client sends is ever read.
 */
export function subjectOf(props: unknown): string | undefined {
  const subject = isPlainObject(props) ? props['subject'] : undefined;
  return typeof subject === 'string' && subject !== '' ? subject : undefined;
}
