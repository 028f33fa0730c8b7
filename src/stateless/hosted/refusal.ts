/**
 * Refuses a call with HTTP 400 that needs what its client has not declared (spec 2026-07-28, basic/lifecycle). A stream that
 * has begun cannot say so any more, so for a client that may be asked for more than it can do, the first moments of a call
 * are waited for.
 */
import type { HostedCaller } from '../../lane/hosting.ts';

/** A handler asks soon or works first; whoever works for longer has begun its stream. */
const WITHIN_MS = 100;

export interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export type Told = PromiseWithResolvers<Refusal | undefined>;

/** True for a client that does not declare all that a handler can ask for. */
export const canLack = ({ capabilities }: HostedCaller): boolean =>
  ['elicitation', 'sampling', 'roots'].some((capability) => capabilities[capability] === undefined);

/** @param told Undefined once the call has gone on, or has ended otherwise. */
export async function unlessRefused(
  response: Response,
  told: Promise<Refusal | undefined>,
  id: unknown,
): Promise<Response> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) return response;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), WITHIN_MS);
  });
  const error = await Promise.race([told, late]);
  if (timer !== undefined) clearTimeout(timer);
  if (error === undefined) return response;
  await response.body?.cancel();
  return Response.json({ jsonrpc: '2.0', id, error }, { status: 400 });
}
