/**
 * What the answer to `server/discover` says about a server's era, decided as SDK v2's client decides. Only what a server
 * of the 2025 era answers to a method that it does not know leads to `initialize`. A server that fails, wants to be left
 * alone, or speaks newer versions only, is none of that era, and comparing it as one would compare something else. Pure.
 */
import { isPlainObject } from '../../../src/shared/json.ts';
import { PROTOCOL } from './era.ts';
import { excerpt, WireFault } from './wire.ts';

export type Probed =
  | { readonly era: '2026' }
  | { readonly era: '2025'; readonly why: string }
  | { readonly era: 'none'; readonly fault: WireFault };

/** @param message The JSON-RPC response. */
export function eraOfAnswer(message: unknown): Probed {
  const why = `server/discover was answered with ${excerpt(JSON.stringify(message), 200)}`;
  if (!isPlainObject(message)) return none(new WireFault('garbage', why));
  const { result, error } = message;
  if (isPlainObject(result)) {
    const versions = result['supportedVersions'];
    const fits =
      Array.isArray(versions) && versions.includes(PROTOCOL['2026']) && isPlainObject(result['capabilities']);
    return fits ? { era: '2026' } : { era: '2025', why };
  }
  return isPlainObject(error) ? eraOfError(error, why) : none(new WireFault('garbage', why));
}

/** UnsupportedProtocolVersion (spec 2026-07-28): it says what is supported instead. */
const UNSUPPORTED_VERSION = -32022;

function eraOfError({ code, data }: Readonly<Record<string, unknown>>, why: string): Probed {
  const supported = isPlainObject(data) ? data['supported'] : undefined;
  if (code !== UNSUPPORTED_VERSION || !Array.isArray(supported)) return { era: '2025', why };
  const modern = supported.filter((each) => typeof each === 'string' && each >= PROTOCOL['2026']);
  return modern.length === 0
    ? { era: '2025', why }
    : none(new WireFault('wrong_era', `does not speak ${PROTOCOL['2026']}: ${why}`));
}

/** Statuses below 500 that say "not now" and nothing about the method. */
const NOT_NOW: ReadonlySet<number> = new Set([408, 421, 425, 429]);

/** @param pipe Whether the server is a program: one of the 2025 era may leave the probe unanswered, or end of it. */
export function eraOfFault(fault: WireFault, pipe: boolean): Probed {
  const { reason, status, body = '', message } = fault;
  if (pipe && (reason === 'no_answer' || reason === 'died')) return { era: '2025', why: message };
  if (reason !== 'refused' || status === undefined || status < 400 || status >= 500 || NOT_NOW.has(status))
    return none(fault);
  let said: unknown;
  try {
    said = JSON.parse(body);
  } catch {
    return { era: '2025', why: message };
  }
  const error = isPlainObject(said) ? said['error'] : undefined;
  return isPlainObject(error) ? eraOfError(error, message) : { era: '2025', why: message };
}

const none = (fault: WireFault): Probed => ({ era: 'none', fault });
