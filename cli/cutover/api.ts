/** The operator's API of a Worker, as the command uses it. The token comes from the environment and goes nowhere else. */
import * as v from 'valibot';
import { oneLine } from '../../src/shared/one-line.ts';
import { couldNot, refused, type Stop } from './stop.ts';

export interface AdminApi {
  get(path: string): Promise<unknown>;
  post(path: string, body: object): Promise<unknown>;
}

const TIMEOUT_MS = 30_000;

const Failure = v.object({
  error: v.object({ code: v.string(), message: v.string(), remedy: v.optional(v.string()) }),
});

export function createAdminApi(url: string, token: string | undefined): AdminApi {
  async function ask(path: string, init: RequestInit): Promise<unknown> {
    if (token === undefined || token === '') {
      throw couldNot(
        'ADMIN_TOKEN is not set',
        "Set it in the environment to the Worker's secret of that name. For npm start put the secret into .dev.vars.",
      );
    }
    if (!/^[\x21-\x7e]+$/.test(token))
      throw couldNot('ADMIN_TOKEN has blanks or signs that cannot be sent', 'Copy the secret again.');
    const response = await fetch(`${url}/admin${path}`, {
      ...init,
      // Whoever answers with another address is not who the token is for.
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { authorization: `Bearer ${token}`, accept: 'application/json', 'content-type': 'application/json' },
    }).catch((cause: unknown) => {
      throw couldNot(
        `${url} cannot be reached: ${reasonOf(cause)}`,
        'Start the Worker (npm start), or name another with --url.',
      );
    });
    const text = await response.text();
    const json = v.safeParse(v.pipe(v.string(), v.parseJson()), text);
    if (response.ok && json.success) return json.output;
    throw failureOf(url, response.status, json.success ? json.output : undefined);
  }

  return {
    get: (path) => ask(path, { method: 'GET' }),
    post: (path, body) => ask(path, { method: 'POST', body: JSON.stringify(body) }),
  };
}

function failureOf(url: string, status: number, answer: unknown): Stop {
  const read = v.safeParse(Failure, answer);
  if (!read.success)
    return couldNot(
      `${url}/admin is not the operator's API: it answered ${status}`,
      'Check --url, and what stands in front of the Worker.',
    );
  const { code, message, remedy } = cleaned(read.output.error);
  if (code === 'not_found') {
    return couldNot(
      "The Worker has no operator's API",
      'Give it the secret ADMIN_TOKEN of at least 32 characters: npx wrangler secret put ADMIN_TOKEN, or .dev.vars for npm start.',
    );
  }
  if (code === 'no_such_path')
    return couldNot(
      "The Worker's operator's API does not have what this command asks for",
      'Use the command of the version that is deployed.',
    );
  if (code === 'not_signed_in')
    return couldNot(
      'The Worker does not take this ADMIN_TOKEN',
      'Set ADMIN_TOKEN in the environment to the secret of this Worker.',
    );
  const failure = status >= 500 ? couldNot : refused;
  return failure(message, remedy ?? "See the Worker's log.");
}

/** Who answers may be anybody: the address may be wrong. */
const cleaned = ({ code, message, remedy }: v.InferOutput<typeof Failure>['error']) => ({
  code,
  message: oneLine(message, LONGEST_MESSAGE),
  ...(remedy !== undefined && { remedy: oneLine(remedy, LONGEST_MESSAGE) }),
});

const LONGEST_MESSAGE = 1_000;

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const inner = cause.cause as { readonly code?: unknown } | undefined;
  return typeof inner?.code === 'string' ? inner.code : cause.message;
}
