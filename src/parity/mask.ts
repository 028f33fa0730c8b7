/**
 * Takes known secrets out of what a run tells: a server can say in an answer what it was sent. Every string is looked
 * through, keys too, for a secret as it is and as JSON, URLs and base64 write it. Pure.
 */
import { isPlainObject } from '../shared/json.ts';

/** What is shorter stands in too many texts that mean something else. */
const SHORTEST = 4;
/** So much of a secret at a place where a text was cut is as good as the secret. */
const SHORTEST_PART = 8;
export const MASK = '<hidden>';

export type Mask = <Value>(value: Value) => Value;

export function maskOf(secrets: readonly string[]): Mask {
  const long = [...new Set(secrets)].filter(({ length }) => length >= SHORTEST);
  if (long.length === 0) return (value) => value;
  const forms = [...new Set(long.flatMap(formsOf))].toSorted((left, right) => right.length - left.length);
  const text = (value: string): string => {
    let masked = value;
    for (const form of forms) masked = masked.replaceAll(form, MASK);
    // A cut text ends with an ellipsis, and may end within a secret.
    if (masked.includes('…')) for (const form of forms) masked = withoutPart(masked, form);
    return masked;
  };
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map(walk);
    if (!isPlainObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [text(key), walk(each)]));
  };
  return <Value>(value: Value): Value => walk(value) as Value;
}

function formsOf(secret: string): readonly string[] {
  const bytes = new TextEncoder().encode(secret);
  const quoted = JSON.stringify(secret).slice(1, -1);
  return [
    secret,
    quoted,
    JSON.stringify(quoted).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
    ...base64Of(bytes),
  ];
}

/** In base64 a text looks otherwise at each of three places, and what stands beside it colours the first and last letter. */
function base64Of(bytes: Uint8Array): readonly string[] {
  return [0, 1, 2]
    .map((before) => {
      const text = btoa(String.fromCodePoint(...Array.from({ length: before }, () => 0), ...bytes)).replace(/=+$/, '');
      const partial = (before + bytes.length) % 3 === 0 ? 0 : 1;
      return text.slice(before === 0 ? 0 : before + 1, text.length - partial);
    })
    .filter(({ length }) => length >= SHORTEST_PART);
}

function withoutPart(text: string, secret: string): string {
  return text.replaceAll(/\S{8,}…/gu, (cut) => {
    const kept = cut.slice(0, -1);
    for (let length = Math.min(secret.length - 1, kept.length); length >= SHORTEST_PART; length -= 1)
      if (kept.endsWith(secret.slice(0, length))) return `${kept.slice(0, -length)}${MASK}…`;
    return cut;
  });
}
