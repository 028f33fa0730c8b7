/**
 * Refusals of the SDK itself, made short: they repeat names, methods, URIs and versions as they came, some of them twice,
 * so that three megabytes in a request would be six in its answer.
 */
import { isPlainObject } from '../shared/json.ts';
import { shortened } from '../shared/one-line.ts';

/** What the protocols say in a refusal is a few hundred characters. */
const LONGEST_BODY = 4_096;
const LONGEST_TEXT = 1_200;
const LONGEST_DATA = 200;

/** The same answer, unless it is an error of HTTP that is longer than an error has to be. */
export async function bounded(response: Response): Promise<Response> {
  if (response.status < 400 || response.body === null) return response;
  const text = await response.text();
  const headers = new Headers(response.headers);
  headers.delete('Content-Length');
  return new Response(text.length <= LONGEST_BODY ? text : shortRefusal(text), { status: response.status, headers });
}

/** The id stays as it is, since the client finds its request by it. */
function shortRefusal(text: string): string {
  const answer: unknown = JSON.parse(text);
  if (!isPlainObject(answer) || !isPlainObject(answer['error'])) return text;
  const { code, message, data } = answer['error'];
  const error = { code, message: typeof message === 'string' ? shortened(message, LONGEST_TEXT) : message };
  const cut = data === undefined ? undefined : JSON.stringify(data, (_name, value: unknown) => cutText(value));
  const short = cut === undefined || cut.length > LONGEST_BODY ? error : { ...error, data: JSON.parse(cut) as unknown };
  return JSON.stringify({ ...answer, error: short });
}

const cutText = (value: unknown): unknown => (typeof value === 'string' ? shortened(value, LONGEST_DATA) : value);
