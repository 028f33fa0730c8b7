/**
 * The modern lane: the 2026-07-28 protocol. A question ends the call with `input_required`; the client makes the call
 * again with the answers and with our signed state, which carries the answers of earlier rounds.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  createRequestStateCodec,
  MissingRequiredClientCapabilityError,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { ClientInfo } from '../shared/define/context.ts';
import type { Askable } from '../shared/define/questions.ts';
import { base64Of, sha256 } from '../shared/digest.ts';
import { isPlainObject } from '../shared/json.ts';
import type { Message } from '../shared/message.ts';
import { RPC_CODE } from '../shared/pipeline/fault.ts';
import type { RawAnswer } from '../shared/pipeline/ports.ts';
import { askableOf } from '../shared/pipeline/ask.ts';
import { RpcFailure } from '../shared/protocol/failure.ts';
import { handleOfSubject, newHandle } from '../state/handle.ts';
import { signingKey } from '../state/secret.ts';
import { applyAt, applyOutsideSession, unidentified } from '../state/state-port.ts';
import { commonPorts, stateCaller, type Exchange, type ExchangeBase } from './exchange.ts';

/** What we let the client carry between two rounds of a call. Signed: the client can read it and not change it. */
interface RoundState {
  /** The call that the answers belong to: answers to one call must not open another. */
  readonly call: string;
  /** The questions of the last round: only they may be answered. */
  readonly asked: readonly string[];
  readonly answers: Readonly<Record<string, RawAnswer>>;
}

export function modernExchange(base: ExchangeBase): Exchange {
  const { env, message } = base.call;
  const codec = async (): Promise<RequestStateCodec<RoundState>> =>
    createRequestStateCodec<RoundState>({ key: await signingKey(env), bind: () => boundTo(base.call) });
  let earlier: ReadonlyMap<string, RawAnswer> = new Map();

  return {
    catalogue: base.catalogue,
    method: message.method,
    onError: base.onError,
    onVerdict: (verdict) => base.call.onVerdict?.(verdict),
    ports: async (ctx) => {
      earlier = await answersOf(ctx, message, codec);
      return {
        ...commonPorts(base, ctx),
        client: clientOf(ctx),
        ask: { kind: 'rounds', client: declaredBy(ctx), answers: earlier },
        state: {
          apply: async (call, live) => {
            const caller = stateCaller(base);
            const outside = applyOutsideSession(env, call, caller, live);
            if (outside !== undefined) return outside;
            if (call.handle === undefined && base.call.caller.unidentified === true) return unidentified(call.tool);
            return applyAt(env, call.handle ?? (await freshHandle(base)), call, caller, live);
          },
        },
      };
    },
    ask: async ({ questions }, ctx) => {
      const declared = declaredBy(ctx);
      const missing = questions.map(({ needs }) => needs).filter((needs) => !declared.has(needs));
      if (missing.length > 0) {
        const requiredCapabilities = Object.fromEntries(missing.map((needs) => [needs, REQUIRED[needs]]));
        throw new MissingRequiredClientCapabilityError({ requiredCapabilities });
      }
      const state: RoundState = {
        call: await callDigest(message),
        asked: questions.map(({ key }) => key),
        answers: Object.fromEntries(earlier),
      };
      return {
        resultType: 'input_required',
        inputRequests: Object.fromEntries(questions.map(({ key, method, params }) => [key, { method, params }])),
        requestState: await (await codec()).mint(state, ctx),
      };
    },
  };
}

async function answersOf(
  ctx: ServerContext,
  message: Message,
  codec: () => Promise<RequestStateCodec<RoundState>>,
): Promise<ReadonlyMap<string, RawAnswer>> {
  const given = new Map(Object.entries({ ...ctx.mcpReq.inputResponses }).filter(isAnswer));
  const raw: unknown = ctx.mcpReq.requestState();
  // A client may answer before it was asked: it speaks for its user either way, and the tool takes only what it asks.
  if (raw === undefined) return given;
  const state = typeof raw === 'string' ? await (await codec()).verify(raw, ctx).catch(() => undefined) : undefined;
  if (state === undefined || state.call !== (await callDigest(message))) {
    // The same words as the SDK's own refusal, and no hint at which check failed.
    throw new RpcFailure({
      code: RPC_CODE.invalidParams,
      message: 'Invalid or expired requestState',
      data: { reason: 'invalid_request_state' },
    });
  }
  const answers = new Map(Object.entries(state.answers));
  for (const key of state.asked) {
    const answer = given.get(key);
    if (answer !== undefined) answers.set(key, answer);
  }
  return answers;
}

/**
 * Whose state it is, and of which tool or prompt (spec 2026-07-28, basic/patterns/mrtr: a server MUST reject a state that
 * another user sends). JSON, so that no two callers can be written alike, and nobody is not the subject `""`.
 */
const boundTo = ({ message: { method, params }, caller }: ExchangeBase['call']): string =>
  JSON.stringify([method ?? null, params['name'] ?? null, caller.subject ?? null]);

const isAnswer = (entry: [string, unknown]): entry is [string, RawAnswer] => isPlainObject(entry[1]);

/** How a capability is named where it is missing. */
const REQUIRED = {
  elicitation: { form: {} },
  sampling: {},
  roots: {},
} as const satisfies Record<Askable, object>;

const declaredBy = (ctx: ServerContext): ReadonlySet<Askable> =>
  askableOf(envelopeOf(ctx)[CLIENT_CAPABILITIES_META_KEY]);

/** Method, name and arguments of the call, which every round repeats unchanged. */
async function callDigest({ method, params }: Message): Promise<string> {
  const text = JSON.stringify([method, params['name'] ?? null, params['arguments'] ?? null]);
  return base64Of(await sha256(text));
}

function clientOf(ctx: ServerContext): ClientInfo | undefined {
  const info = envelopeOf(ctx)[CLIENT_INFO_META_KEY];
  if (!isPlainObject(info) || typeof info['name'] !== 'string' || typeof info['version'] !== 'string') return undefined;
  return { name: info['name'], version: info['version'] };
}

/** The request's own `_meta` envelope, which the SDK has validated and taken off the request. */
const envelopeOf = (ctx: ServerContext): Readonly<Record<string, unknown>> => ({ ...ctx.mcpReq.envelope });

/** Where a call without a handle has its state: with its caller, where the caller is known, and else in a new place. */
const freshHandle = async ({ call: { caller } }: ExchangeBase): Promise<string> =>
  caller.subject === undefined ? newHandle() : handleOfSubject(caller.subject);
