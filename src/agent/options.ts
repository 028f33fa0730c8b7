/**
 * What a class of one's own can say about how it is served, as its static property `hybrid`. Environment variables say the
 * same without a change of code, and win. Pure.
 */
import type { HandleSettings } from '../hosted/handle-listing.ts';
import { subjectIn, type SubjectReader } from '../shared/caller.ts';
import { IDLE_RULE, idleMs, isIdleTime } from '../state/times.ts';

/** How a class of your own is served, as its static property `hybrid` says. */
export interface OwnAgentOptions {
  /** The property of the sign-in that names the caller, or a function that finds it. Default: `subject`. */
  readonly subject?: string | SubjectReader;
  /** True for a class that keeps nothing between calls: callers without a sign-in may then share a few of its objects. */
  readonly keepsNoState?: boolean;
  /**
   * What becomes of 2026-07-28 clients without a sign-in, if the class keeps state. `refuse`, the default: they are answered
   * as the plain class answers them. `handle`: a further tool gives each a handle of state of its own.
   */
  readonly anonymous?: 'refuse' | 'handle';
  /** The name of that tool. Default: `open_session_state`. */
  readonly handleTool?: string;
  /** The name of the argument by which every other tool takes the handle. Default: `handle`. */
  readonly handleArgument?: string;
  /** True for a class that tells its clients of something outside of calls: its 2025 clients stay on the legacy lane. */
  readonly needsSession?: boolean;
  /** How many objects callers without a sign-in share. Default: 8. */
  readonly poolSize?: number;
  /** Milliseconds without a use after which a session ends. Default: sessions do not expire. */
  readonly idleMs?: number;
}

/** The variables that say the same. */
export interface OwnAgentVars {
  readonly AGENT_SUBJECT?: string;
  readonly AGENT_KEEPS_NO_STATE?: string;
  readonly AGENT_NEEDS_SESSION?: string;
  readonly AGENT_ANONYMOUS?: string;
  readonly SESSION_IDLE_MS?: string | number;
}

export interface OwnAgentSettings {
  readonly subjectOf: SubjectReader;
  readonly keepsNoState: boolean;
  readonly handles: HandleSettings | undefined;
  readonly needsSession: boolean;
  readonly poolSize: number;
  readonly idleMs: number | undefined;
}

const DEFAULT_POOL = 8;
const MAX_POOL = 1000;

export interface ReadSettings {
  readonly settings: OwnAgentSettings;
  /** What variables could not be read. They are left out then: a deployment must not stop at one. */
  readonly problems: readonly string[];
}

/** @throws TypeError that names the option and what it may be. */
export function ownAgentSettings(given: OwnAgentOptions, env: object): ReadSettings {
  const { vars, problems } = readVars(env);
  const { poolSize = DEFAULT_POOL } = given;
  if (!Number.isInteger(poolSize) || poolSize < 1 || poolSize > MAX_POOL) {
    throw new TypeError(`The option poolSize must be a whole number from 1 to ${MAX_POOL}.`);
  }
  const ownIdleMs = nonEmpty(vars.SESSION_IDLE_MS) === undefined ? given.idleMs : idleMs(vars);
  const subject = nonEmpty(vars.AGENT_SUBJECT) ?? given.subject ?? 'subject';
  const settings = {
    subjectOf: typeof subject === 'string' ? subjectIn(subject) : subject,
    keepsNoState: flag(vars.AGENT_KEEPS_NO_STATE) ?? given.keepsNoState ?? false,
    handles: handleSettings(given, vars, ownIdleMs ?? idleMs({})),
    needsSession: flag(vars.AGENT_NEEDS_SESSION) ?? given.needsSession ?? false,
    poolSize,
    idleMs: ownIdleMs,
  };
  return { settings, problems };
}

const ON_OR_OFF = { fits: (value: unknown) => value === 'on' || value === 'off', rule: 'must be on or off.' };
const RULES: Readonly<Partial<Record<keyof OwnAgentVars, { fits: (value: unknown) => boolean; rule: string }>>> = {
  AGENT_KEEPS_NO_STATE: ON_OR_OFF,
  AGENT_NEEDS_SESSION: ON_OR_OFF,
  AGENT_ANONYMOUS: { fits: (value) => value === 'refuse' || value === 'handle', rule: 'must be refuse or handle.' },
  SESSION_IDLE_MS: { fits: (value) => isIdleTime(Number(value)), rule: IDLE_RULE },
};

/** The variables that can be read, and a sentence for each that cannot. */
function readVars(given: OwnAgentVars): { readonly vars: OwnAgentVars; readonly problems: readonly string[] } {
  const wrong = Object.entries(RULES).filter(([name, { fits }]) => {
    const value = nonEmpty(given[name as keyof OwnAgentVars]);
    return value !== undefined && !fits(value);
  });
  return {
    vars: { ...given, ...Object.fromEntries(wrong.map(([name]) => [name, undefined])) },
    problems: wrong.map(
      ([name, { rule }]) => `The variable ${name} ${rule} Until it is, it counts as if it were not set.`,
    ),
  };
}

/** @param idle Nobody but time can end what a handle names, so it ends at some time also where sessions do not. */
function handleSettings(given: OwnAgentOptions, vars: OwnAgentVars, idle: number): HandleSettings | undefined {
  const { handleTool: tool = 'open_session_state', handleArgument: argument = 'handle' } = given;
  const anonymous = nonEmpty(vars.AGENT_ANONYMOUS) ?? given.anonymous ?? 'refuse';
  if (anonymous !== 'refuse' && anonymous !== 'handle') {
    throw new TypeError('The option anonymous must be refuse or handle.');
  }
  if (!TOOL_NAME.test(tool))
    throw new TypeError(`The option handleTool must be a name that a tool can have: ${TOOL_NAME}.`);
  if (!ARGUMENT_NAME.test(argument)) {
    throw new TypeError('The option handleArgument must be a name of letters, digits and underscores.');
  }
  return anonymous === 'handle' ? { tool, argument, idleMs: idle } : undefined;
}

/** Spec 2025-11-25, server/tools, "Tool Names". */
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;
const ARGUMENT_NAME = /^[A-Za-z][A-Za-z0-9_]*$/;

const nonEmpty = <T extends string | number>(value: T | undefined): T | undefined =>
  value === undefined || value === '' ? undefined : value;

const flag = (value: string | undefined): boolean | undefined =>
  nonEmpty(value) === undefined ? undefined : value === 'on';

/** The options that a class states, its own or inherited. */
export const optionsOf = (agentClass: object): OwnAgentOptions =>
  (agentClass as { readonly hybrid?: OwnAgentOptions }).hybrid ?? {};
