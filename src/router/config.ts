/** The door's settings, read from the Worker's variables once an isolate. A bad value is an error that names it. */

export interface DoorConfig {
  /** Hostnames this Worker answers to; `*.` at the front stands for any one or more labels. `*` alone for all. */
  readonly allowedHosts: readonly string[];
  /** Hostnames of pages that may call, beside the request's own host. `*` alone for all. */
  readonly allowedOrigins: readonly string[];
  readonly maxBodyBytes: number;
}

/** The variables that configure the door; every one is optional. */
export interface DoorVars {
  readonly ALLOWED_HOSTS?: string;
  readonly ALLOWED_ORIGINS?: string;
  readonly MAX_BODY_BYTES?: string | number;
}

const LOCALHOST = ['localhost', '127.0.0.1', '[::1]'] as const;
/** 4 MiB, as both packages have it. */
const DEFAULT_MAX_BODY_BYTES = 4 * 1024 * 1024;
/** A Worker's memory is 128 MB, and a body is held as bytes, as text and as JSON. */
const LARGEST_MAX_BODY_BYTES = 16 * 1024 * 1024;

/** @throws TypeError naming the variable and what it may be. */
export function doorConfig(vars: DoorVars): DoorConfig {
  return {
    allowedHosts: listOf(vars.ALLOWED_HOSTS) ?? [...LOCALHOST, '*.workers.dev'],
    allowedOrigins: listOf(vars.ALLOWED_ORIGINS) ?? LOCALHOST,
    maxBodyBytes: bytesOf(vars.MAX_BODY_BYTES),
  };
}

function listOf(text: string | undefined): readonly string[] | undefined {
  const items = text
    ?.split(',')
    .map((item) => item.trim().toLowerCase())
    .filter((item) => item !== '');
  return items === undefined || items.length === 0 ? undefined : items;
}

function bytesOf(value: string | number | undefined): number {
  if (value === undefined || value === '') return DEFAULT_MAX_BODY_BYTES;
  const bytes = Number(value);
  if (!Number.isInteger(bytes) || bytes < 1 || bytes > LARGEST_MAX_BODY_BYTES) {
    throw new TypeError(
      `The variable MAX_BODY_BYTES is "${value}". Use a whole number of bytes from 1 to ${LARGEST_MAX_BODY_BYTES}.`,
    );
  }
  return bytes;
}
