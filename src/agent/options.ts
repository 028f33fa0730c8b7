/**
 * What a class of one's own can say about how it is served, as its static property `hybrid`. Environment variables say the
 * same without a change of code, and win. Pure.
 */
import type { HandleSettings } from '../hosted/handle-listing.ts';
import { subjectIn, type SubjectReader } from '../shared/caller.ts';
import { idleMs } from '../state/times.ts';

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

/** @throws TypeError that names the option or the variable and what it may be. */
export function ownAgentSettings(given: OwnAgentOptions, env: object): OwnAgentSettings {
  const vars = env as OwnAgentVars;
  const { poolSize = DEFAULT_POOL } = given;
  if (!Number.isInteger(poolSize) || poolSize < 1 || poolSize > MAX_POOL) {
    throw new TypeError(`The option poolSize must be a whole number from 1 to ${MAX_POOL}.`);
  }
  const ownIdleMs = nonEmpty(vars.SESSION_IDLE_MS) === undefined ? given.idleMs : idleMs(vars);
  const subject = nonEmpty(vars.AGENT_SUBJECT) ?? given.subject ?? 'subject';
  return {
    subjectOf: typeof subject === 'string' ? subjectIn(subject) : subject,
    keepsNoState: flag('AGENT_KEEPS_NO_STATE', vars.AGENT_KEEPS_NO_STATE) ?? given.keepsNoState ?? false,
    handles: handleSettings(given, vars, ownIdleMs ?? idleMs({})),
    needsSession: flag('AGENT_NEEDS_SESSION', vars.AGENT_NEEDS_SESSION) ?? given.needsSession ?? false,
    poolSize,
    idleMs: ownIdleMs,
  };
}

/** @param idle Nobody but time can end what a handle names, so it ends at some time also where sessions do not. */
function handleSettings(given: OwnAgentOptions, vars: OwnAgentVars, idle: number): HandleSettings | undefined {
  const { handleTool: tool = 'open_session_state', handleArgument: argument = 'handle' } = given;
  const anonymous = nonEmpty(vars.AGENT_ANONYMOUS) ?? given.anonymous ?? 'refuse';
  if (anonymous !== 'refuse' && anonymous !== 'handle') {
    throw new TypeError('The variable AGENT_ANONYMOUS and the option anonymous must be refuse or handle.');
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

function flag(name: keyof OwnAgentVars, value: string | undefined): boolean | undefined {
  if (nonEmpty(value) === undefined) return undefined;
  if (value === 'on') return true;
  if (value === 'off') return false;
  throw new TypeError(`The variable ${name} must be on or off.`);
}

/** The options that a class states, its own or inherited. */
export const optionsOf = (agentClass: object): OwnAgentOptions =>
  (agentClass as { readonly hybrid?: OwnAgentOptions }).hybrid ?? {};
