/** What must hold of every answer, whatever was asked. Pure. */
import * as v from 'valibot';
import type { HostileRequest } from './request.ts';
import type { Outcome } from './wire.ts';

const RpcError = v.object({
  jsonrpc: v.literal('2.0'),
  id: v.nullish(v.union([v.string(), v.number()])),
  error: v.object({ code: v.pipe(v.number(), v.integer()), message: v.string() }),
});
const Body = v.pipe(v.string(), v.parseJson(), RpcError);

/** Why the answer is wrong; undefined where it is right. */
export function faultOf(request: HostileRequest, outcome: Outcome): string | undefined {
  if (outcome.kind === 'hang') return 'no whole answer in time';
  // What is no HTTP at all may be dropped; everything that is sent here is HTTP.
  if (outcome.kind === 'closed')
    return `the connection was closed without an answer: ${outcome.received.slice(0, 200)}`;
  const { status, headers, body } = outcome.answer;
  if (status >= 500) return `status ${status}: ${body.slice(0, 200)}`;
  if (/"(The call was not answered within|The server did not begin to answer within)/.test(body))
    return 'the door had to end the stream';
  if (isForeign(request) && headers.has('access-control-allow-origin')) return 'a foreign page may read the answer';
  if (status < 400 || request.method === 'HEAD') return undefined;
  if (headers.get('content-type') !== 'application/json')
    return `status ${status} with the content type ${headers.get('content-type') ?? 'none'}: ${body.slice(0, 200)}`;
  return v.safeParse(Body, body).success
    ? undefined
    : `status ${status} without a JSON-RPC error: ${body.slice(0, 200)}`;
}

/** The origins that the generator uses and that are not on the list. */
export const FOREIGN_ORIGINS = ['https://evil.example', 'null', 'http://localhost.evil.example', ''] as const;

/** Of two Origin headers nobody knows which one counts, and the answer names the one that did. */
function isForeign({ headers }: HostileRequest): boolean {
  const origins = headers.filter(([name]) => name === 'Origin').map(([, value]) => value);
  return origins.length === 1 && (FOREIGN_ORIGINS as readonly string[]).includes(origins[0] ?? '');
}
