/**
 * The SDK v1 server of an agent as hosting needs it: what it serves, its registrations as they were before `init()`, so
 * that they can be made anew for other properties, and who its client is during a hosted call.
 */
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/cfworker-provider.js';
import type { HostedServer } from '../../lane/hosting.ts';
import type { JsonObject } from '../../shared/json.ts';
import { lowLevelOf, REGISTRATIONS, type AgentTransport, type LowLevelServer } from '../package-internals.ts';
import { current } from './hosted-call.ts';

/** The registrations of a server at one moment: of the high-level server, if the agent has one, and the low-level one. */
export interface Registrations {
  readonly server: object;
  readonly high: ReadonlyMap<string, unknown>;
  readonly low: ReadonlyMap<string, unknown>;
}

/** @param server Undefined if the class makes its server in `init()`: then there is nothing to restore. */
export function registrationsOf(server: object | undefined): Registrations | undefined {
  if (server === undefined) return undefined;
  return {
    server,
    high: copied(server, REGISTRATIONS.high),
    low: copied(lowLevelOf(server), REGISTRATIONS.low),
  };
}

function copied(owner: object, names: readonly string[]): ReadonlyMap<string, unknown> {
  const fields = owner as Readonly<Record<string, unknown>>;
  return new Map(names.filter((name) => name in owner).map((name) => [name, shallow(fields[name])]));
}

function shallow(value: unknown): unknown {
  if (value instanceof Map) return new Map(value);
  return typeof value === 'object' && value !== null ? { ...value } : value;
}

/**
 * Takes a server back to what it was, and runs `init` on it. Its transport is away meanwhile: a connected server refuses
 * new kinds of registrations, and tells clients of each one.
 */
export async function remade(registrations: Registrations | undefined, init: () => Promise<void>): Promise<void> {
  if (registrations === undefined) return init();
  const { server, high, low } = registrations;
  const lowLevel = lowLevelOf(server);
  const transport = lowLevel._transport;
  restore(server, high);
  restore(lowLevel, low);
  delete lowLevel._transport;
  try {
    await init();
  } finally {
    if (transport !== undefined) lowLevel._transport = transport;
  }
}

function restore(owner: object, fields: ReadonlyMap<string, unknown>): void {
  for (const [name, value] of fields) (owner as Record<string, unknown>)[name] = shallow(value);
}

export function describedServer(server: object): HostedServer {
  const { _serverInfo, _capabilities, _instructions } = lowLevelOf(server);
  return {
    info: _serverInfo as HostedServer['info'],
    capabilities: _capabilities as JsonObject,
    ...(_instructions !== undefined && { instructions: _instructions }),
  };
}

const clients = new WeakSet<LowLevelServer>();

/**
 * Makes a server see the client of the hosted call that it is asked in, and check answers with a validator that compiles
 * no code, which Workers forbid. Outside of hosted calls it is as it was.
 */
export function seesCaller(server: object): void {
  const lowLevel = lowLevelOf(server);
  if (clients.has(lowLevel)) return;
  clients.add(lowLevel);
  const validator = new CfWorkerJsonSchemaValidator();
  overlay(lowLevel, '_clientCapabilities', (call) => call.caller.capabilities);
  overlay(lowLevel, '_clientVersion', (call) => call.caller.client);
  overlay(lowLevel, '_jsonSchemaValidator', () => validator);
  // It refuses by itself what the client has not declared, before anything is sent.
  const elicit = lowLevel.elicitInput?.bind(lowLevel);
  if (elicit === undefined) return;
  lowLevel.elicitInput = (params, ...more) => {
    current.getStore()?.asks('elicitation/create', params.mode);
    return elicit(params, ...more);
  };
}

type Overlaid = '_clientCapabilities' | '_clientVersion' | '_jsonSchemaValidator';

function overlay(
  server: LowLevelServer,
  name: Overlaid,
  during: (call: NonNullable<ReturnType<typeof current.getStore>>) => unknown,
): void {
  let own: unknown = server[name];
  Object.defineProperty(server, name, {
    configurable: true,
    enumerable: true,
    get: () => {
      const call = current.getStore();
      return call === undefined ? own : during(call);
    },
    set: (value: unknown) => {
      own = value;
    },
  });
}

/** A server that `init()` has made anew takes the place of the one before it on the agent's transport. */
export async function reconnect(server: object, transport: AgentTransport): Promise<void> {
  const start = transport.start.bind(transport);
  delete transport.onmessage;
  // The transport has started before, and refuses to start again.
  transport.start = async () => undefined;
  try {
    await (server as { connect(transport: AgentTransport): Promise<void> }).connect(transport);
  } finally {
    transport.start = start;
  }
}
