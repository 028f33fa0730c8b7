/**
 * The rounds of hosted calls that wait for their clients: kept in the object's storage, so that a call can go on from its
 * answers although the object was put to sleep while the user thought.
 */
import { base64Of, sha256 } from '../../shared/digest.ts';
import { KEY_PREFIX } from '../session/record.ts';
import type { HostedQuestion, HostedRequest } from '../../lane/hosting.ts';
import type { AnsweredQuestion } from './hosted-call.ts';

export interface Round {
  /** The call and the caller that the answers belong to: answers to one call must not open another. */
  readonly digest: string;
  readonly asked: readonly HostedQuestion[];
  readonly answered: readonly AnsweredQuestion[];
  /** Milliseconds since 1970. */
  readonly at: number;
}

const ROUND_PREFIX = `${KEY_PREFIX}round:`;
/** How long a client may take to answer: what the SDKs give a person is far less. */
const MAX_AGE_MS = 60 * 60 * 1000;
/** Per object; the oldest makes room. */
const MAX_ROUNDS = 64;
const TOKEN = /^[A-Za-z0-9-]{36}$/;

export class Rounds {
  readonly #kv: DurableObjectStorage['kv'];

  constructor(storage: DurableObjectStorage) {
    this.#kv = storage.kv;
  }

  get(token: string, digest: string, now: number): Round | undefined {
    if (!TOKEN.test(token)) return undefined;
    const round = this.#kv.get<Round>(ROUND_PREFIX + token);
    return round !== undefined && round.digest === digest && now - round.at < MAX_AGE_MS ? round : undefined;
  }

  keep(token: string, round: Round): void {
    const all = [...this.#kv.list<Round>({ prefix: ROUND_PREFIX })].sort(([, one], [, two]) => one.at - two.at);
    const surplus = Math.max(0, all.length + 1 - MAX_ROUNDS);
    for (const [key, { at }] of all.filter(([, { at }], index) => index < surplus || round.at - at >= MAX_AGE_MS)) {
      if (at <= round.at) this.#kv.delete(key);
    }
    this.#kv.put(ROUND_PREFIX + token, round);
  }

  forget(token: string): void {
    this.#kv.delete(ROUND_PREFIX + token);
  }
}

/** A question of an earlier round with what the client says to it; nothing if it says nothing. */
export function answeredBy(
  { key, method, params }: HostedQuestion,
  answers: Readonly<Record<string, unknown>>,
): readonly AnsweredQuestion[] {
  const answer = answers[key];
  return answer === undefined ? [] : [{ method, params: JSON.stringify(params), answer }];
}

/** What has to be the same in each round of a call: the method, its name and arguments, and the caller. */
export async function digestOf({ method, params }: HostedRequest, subject: string | undefined): Promise<string> {
  const { name, arguments: args, uri } = (params === undefined ? {} : JSON.parse(params)) as Record<string, unknown>;
  const text = JSON.stringify([method, name ?? null, args ?? null, uri ?? null, subject ?? null]);
  return base64Of(await sha256(text));
}
