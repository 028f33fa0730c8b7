/**
 * Answers 2026-07-28 clients without a sign-in for a class that keeps state: each call names a handle, and is answered by
 * the object that the handle names and no other handle does. What is listed without a handle comes from one of the objects
 * that such callers share, in which no tool is ever called for them.
 */
import type { HostedExchange, HostedRequest, HostedServer, HostedStep } from '../lane/hosting.ts';
import { isPlainObject, type JsonObject } from '../shared/json.ts';
import { RPC_CODE } from '../shared/pipeline/fault.ts';
import { keyFrom, sealingKeyOf } from '../state/secret.ts';
import type { Agent } from './contract.ts';
import { withoutChanges } from './caller.ts';
import { newHandle, openHandle } from './handle.ts';
import {
  clashOf,
  HANDLE_META,
  handleResult,
  handleTool,
  inMeta,
  missingHandle,
  toolError,
  unknownHandle,
  withHandleArgument,
  type HandleSettings,
} from './handle-listing.ts';
import { agentIn, SECRET_OBJECT } from './objects.ts';

type Params = Readonly<Record<string, unknown>>;

export interface HandleParts {
  readonly agents: DurableObjectNamespace;
  readonly settings: HandleSettings;
  /** One of the objects that callers share, for what is answered without a handle. */
  readonly shared: Agent;
}

/** Needs no state: what it says is the same for everybody who has none. */
const LISTS: ReadonlySet<string> = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
]);

/** Stands in for an object of the class, for one request. */
export function withHandles({ agents, settings, shared }: HandleParts): HostedExchange['agent'] {
  let asked = shared;

  return {
    _host: host,
    _cancelHosted: (call) => asked._cancelHosted(call),
    _listenHosted: (...listen) => shared._listenHosted(...listen),
  };

  async function host(request: HostedRequest, ...told: TellArguments): Promise<HostedStep> {
    const { method } = request;
    const params = paramsOf(request);
    if (method === 'tools/call' && params['name'] === settings.tool) return opened();
    const { handle, kept } = method === 'tools/call' ? fromArguments(params) : fromMeta(params);
    if (handle === undefined) {
      if (!LISTS.has(method)) return refused(method, missingHandle(settings));
      return listed(request, params, await shared._host(request, ...told));
    }
    const name = await openHandle(await key(), handle);
    if (name === undefined) return refused(method, unknownHandle(settings));
    asked = agentIn(agents, name.object);
    const step = await asked._host(
      { ...request, ...ofHandle(name.beginsUntil), params: JSON.stringify(kept) },
      ...told,
    );
    return step.kind === 'gone' ? refused(method, unknownHandle(settings)) : listed(request, params, step);
  }

  /** Nothing is made yet: the first call with the handle makes its object. */
  async function opened(): Promise<HostedStep> {
    return resultStep(handleResult(await newHandle(await key(), Date.now() + settings.idleMs)));
  }

  function ofHandle(beginsUntil: number): Pick<HostedRequest, 'of' | 'begins'> {
    return { of: 'session', ...(Date.now() < beginsUntil && { begins: { idleMs: settings.idleMs } }) };
  }

  async function key(): Promise<CryptoKey> {
    return sealingKeyOf(await keyFrom(agents, () => agentIn(agents, SECRET_OBJECT)._secretHosted()));
  }

  function fromArguments(params: Params): { readonly handle: string | undefined; readonly kept: Params } {
    const { arguments: args, ...others } = params;
    if (!isPlainObject(args) || !Object.hasOwn(args, settings.argument)) return fromMeta(params);
    const { [settings.argument]: handle, ...own } = args;
    return { handle: String(handle), kept: { ...others, arguments: own } };
  }

  function listed({ method }: HostedRequest, { cursor }: Params, step: HostedStep): HostedStep {
    if (method !== 'tools/list') return step;
    const result: unknown = step.kind === 'result' ? JSON.parse(step.result) : { tools: [] };
    // A class without tools has no such method.
    if (!isPlainObject(result) || (step.kind !== 'result' && !isNotFound(step))) return step;
    const tools = toolsIn(result);
    const clash = clashOf(tools, settings);
    if (clash !== undefined) return { kind: 'error', error: { code: RPC_CODE.internal, message: clash } };
    const own = tools.map((tool) => withHandleArgument(tool, settings));
    return resultStep({ ...result, tools: cursor === undefined ? [handleTool(settings), ...own] : own });
  }

  function refused(method: string, text: string): HostedStep {
    if (method === 'tools/call') return resultStep(toolError(text));
    return { kind: 'error', error: { code: RPC_CODE.invalidParams, message: inMeta(text) } };
  }
}

type TellArguments = Parameters<Agent['_host']> extends [unknown, ...infer Rest] ? Rest : never;

/** What a caller is told that the class serves. */
export function serverWithHandles(server: HostedServer): HostedServer {
  const { capabilities, ...others } = withoutChanges(server);
  return { ...others, capabilities: { ...capabilities, tools: capabilities['tools'] ?? {} } };
}

/** More pages than any class has. */
const MAX_PAGES = 100;

/** Why callers cannot be given handles; undefined if they can. Reads what the class lists to those who have not signed in. */
export async function handleClash({ settings, shared }: HandleParts): Promise<string | undefined> {
  const caller = { props: {}, capabilities: {}, headers: {}, url: 'http://localhost/' };
  let params: Params = {};
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const call = crypto.randomUUID();
    const request = { of: 'object', method: 'tools/list', params: JSON.stringify(params), caller, call } as const;
    const step = await shared._host(request);
    const result: unknown = step.kind === 'result' ? JSON.parse(step.result) : undefined;
    if (!isPlainObject(result)) return undefined;
    const clash = clashOf(toolsIn(result), settings);
    if (clash !== undefined || typeof result['nextCursor'] !== 'string') return clash;
    params = { cursor: result['nextCursor'] };
  }
  return undefined;
}

const paramsOf = ({ params }: HostedRequest): Params => (params === undefined ? {} : (JSON.parse(params) as Params));

function fromMeta(params: Params): { readonly handle: string | undefined; readonly kept: Params } {
  const { _meta: meta, ...others } = params;
  if (!isPlainObject(meta) || !Object.hasOwn(meta, HANDLE_META)) return { handle: undefined, kept: params };
  const { [HANDLE_META]: handle, ...own } = meta;
  return { handle: String(handle), kept: { ...others, ...(Object.keys(own).length > 0 && { _meta: own }) } };
}

const toolsIn = ({ tools }: Params): readonly JsonObject[] =>
  Array.isArray(tools) ? tools.filter((tool): tool is JsonObject => isPlainObject(tool)) : [];

const isNotFound = (step: HostedStep): boolean => step.kind === 'error' && step.error.code === RPC_CODE.methodNotFound;

const resultStep = (result: JsonObject): HostedStep => ({ kind: 'result', result: JSON.stringify(result) });
