/**
 * Answers every method that depends on the catalogue. Both SDKs hand their requests to this one function, so the
 * lanes cannot differ in parsing, in order, in texts or in error shape. Never throws.
 */
import type { Catalogue } from '../catalogue/catalogue.ts';
import { lackedBy } from '../catalogue/access.ts';
import { listMember } from '../catalogue/list.ts';
import type { CallContext } from '../define/context.ts';
import type { AnyPrompt, PromptMessage } from '../define/prompt.ts';
import type { PromptResult } from '../define/registrations.ts';
import type { ContentBlock } from '../define/reply.ts';
import type { ListedResource, ResourceTemplateDefinition } from '../define/resource.ts';
import { type JsonObject, throughWire } from '../json.ts';
import { asOutcome, callTool, type CallOutcome } from '../pipeline/call-tool.ts';
import { Deadline, Ending } from '../pipeline/clock.ts';
import { callContext } from '../pipeline/context.ts';
import { blocksProblem, isResourceContents } from '../pipeline/check-reply.ts';
import { faultOnWire, RPC_CODE, type Fault } from '../pipeline/fault.ts';
import type { CallPorts } from '../pipeline/ports.ts';
import { report, reportInternal, type Reporter } from '../pipeline/report.ts';
import { run } from '../pipeline/run.ts';
import { faultOfThrown } from '../pipeline/services.ts';
import { blocksFor } from '../pipeline/versions.ts';
import { parse } from '../schema/standard.ts';
import { asError, asQuestions, asResult, type Answer } from './answered.ts';
import { complete } from './complete.ts';
import { invalidParams, readCompletion, readCursor, readNamed, readUri } from './params.ts';
import { challengeFor } from './scopes.ts';

/** The methods answered here; a lane asks nothing else of this function. */
export const CATALOGUE_METHODS = [
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'completion/complete',
] as const;
export type CatalogueMethod = (typeof CATALOGUE_METHODS)[number];

export const isCatalogueMethod = (method: string): method is CatalogueMethod =>
  (CATALOGUE_METHODS as readonly string[]).includes(method);

export async function answer(
  catalogue: Catalogue,
  method: CatalogueMethod,
  params: unknown,
  ports: CallPorts,
): Promise<Answer> {
  if (catalogue.closed !== undefined) return closed(catalogue.closed, method);
  // The router has refused it already, unless it came in a batch: one message of it has no status of its own.
  const challenge = catalogue.hasScopes ? challengeFor(catalogue, ports.caller, { method, params }) : undefined;
  if (challenge !== undefined) return answerOf(asOutcome(challenge.fault, challenge.what));
  switch (method) {
    case 'tools/list':
      return listed(params, 'tools', catalogue.listed.tools);
    case 'prompts/list':
      return listed(params, 'prompts', catalogue.listed.prompts);
    case 'resources/templates/list':
      return listed(params, 'resourceTemplates', catalogue.listed.templates);
    case 'resources/list':
      return guarded(method, ports.report, () =>
        inTime(catalogue, method, ports, (ctx) => listResources(catalogue, params, ctx)),
      );
    case 'tools/call':
      return call(catalogue, params, ports);
    case 'prompts/get':
      return guarded(method, ports.report, () => getPrompt(catalogue, params, ports));
    case 'resources/read':
      return guarded(method, ports.report, () =>
        inTime(catalogue, method, ports, (ctx) => readResource(catalogue, params, ctx)),
      );
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      return subscribe(catalogue, params);
    case 'completion/complete': {
      const read = readCompletion(params);
      return read.ok
        ? guarded(method, ports.report, () =>
            inTime(catalogue, method, ports, (ctx) => complete(catalogue, read.value, ctx)),
          )
        : asError(read.error);
    }
  }
}

/** The one answer of a view in which there is nothing for its caller. */
function closed(why: NonNullable<Catalogue['closed']>, method: CatalogueMethod): Answer {
  const message =
    why === 'refused'
      ? 'This server has nothing for this caller. Sign in with an account that may use it.'
      : internalText(method);
  const code = why === 'refused' ? RPC_CODE.callerRefused : RPC_CODE.internal;
  return asError({ code, message }, why === 'refused' ? 'caller_refused' : 'rpc_error');
}

const internalText = (method: CatalogueMethod): string =>
  `The server could not answer ${method}. The cause was reported to its operator.`;

async function call(catalogue: Catalogue, params: unknown, ports: CallPorts): Promise<Answer> {
  const read = readNamed(params);
  if (!read.ok) return asError(read.error);
  const tool = catalogue.tools.get(read.value.name);
  const outcome =
    tool === undefined
      ? asOutcome({ fault: 'unknown_tool', tool: read.value.name })
      : await callTool(tool, read.value.args, ports, catalogue.limits);
  return answerOf(outcome);
}

function answerOf(outcome: CallOutcome): Answer {
  switch (outcome.kind) {
    case 'result':
      return asResult({ ...outcome.result }, outcome.fault ?? (outcome.result.isError === true ? 'tool_error' : 'ok'));
    case 'error':
      return asError(outcome.error, outcome.fault);
    case 'questions':
      return asQuestions(outcome.questions);
  }
}

async function getPrompt(catalogue: Catalogue, params: unknown, ports: CallPorts): Promise<Answer> {
  const read = readNamed(params);
  if (!read.ok) return asError(read.error);
  const prompt = catalogue.prompts.get(read.value.name);
  if (prompt === undefined) return asError(invalidParams(`Unknown prompt: ${read.value.name}`).error);
  const args = await parse(prompt.args, read.value.args);
  if (!args.ok) {
    if (args.cause !== undefined)
      report(ports.report, { fault: 'invalid_arguments', tool: prompt.name, cause: args.cause });
    return promptFault({ fault: 'invalid_arguments', tool: prompt.name, issues: args.issues });
  }
  const ran = await run({
    name: prompt.name,
    limitMs: catalogue.limits.deadlineMs,
    ports,
    code: async (ctx) => ({ kind: 'done', value: await prompt.messages(args.value, ctx) }),
  });
  if (ran.kind === 'questions') return asQuestions(ran.questions);
  if (ran.kind === 'failed') {
    if (ran.fault.fault === 'tool_failed') throw ran.cause;
    if (ran.cause !== undefined) report(ports.report, { fault: ran.fault.fault, tool: prompt.name, cause: ran.cause });
    return promptFault(ran.fault);
  }
  const { messages, description } = resultOf(prompt, ran.value);
  for (const message of messages) {
    const problem = blocksProblem([message.content]);
    if (problem !== undefined) throw new TypeError(`The prompt "${prompt.name}" gave a message whose ${problem}`);
  }
  const fitted = messages.map((message) => ({ ...message, content: oneBlock(ports.version, message.content) }));
  return asResult(throughWire({ ...(description !== undefined && { description }), messages: fitted }));
}

/** A registered prompt gives the whole result, since its author has written it so; a defined one gives its messages. */
const resultOf = (prompt: AnyPrompt, given: readonly PromptMessage[] | PromptResult): PromptResult =>
  'messages' in given ? given : { description: prompt.description, messages: given };

const oneBlock = (version: string | undefined, block: ContentBlock): ContentBlock =>
  blocksFor(version, [block])[0] ?? block;

/** A prompt has no result that could say that it failed, so each fault is a JSON-RPC error. */
function promptFault(fault: Fault): Answer {
  const wire = faultOnWire(fault, 'prompt');
  if (wire.kind !== 'result') return asError(wire.error, fault.fault);
  const code = fault.fault === 'invalid_arguments' ? RPC_CODE.invalidParams : RPC_CODE.internal;
  return asError({ code, message: wire.text }, fault.fault);
}

async function readResource(catalogue: Catalogue, params: unknown, ctx: CallContext): Promise<Answer> {
  const read = readUri(params);
  if (!read.ok) return asError(read.error);
  const contents = await contentsOf(catalogue, read.value, ctx);
  if (contents === undefined)
    return asError(invalidParams(`Resource not found: ${read.value}`, { uri: read.value }).error);
  if (!contents.every(isResourceContents))
    throw new TypeError(`The resource "${read.value}" gave contents that are neither text nor base64`);
  return asResult(throughWire({ contents }));
}

/**
 * Accepted although `subscribe` is not declared, for clients that subscribe all the same: resources change by deployment
 * only, so there is never an update to send, and nothing to remember.
 */
function subscribe(catalogue: Catalogue, params: unknown): Answer {
  const read = readUri(params);
  if (!read.ok) return asError(read.error);
  const uri = read.value;
  const known = catalogue.resources.has(uri) || catalogue.templates.some((template) => template.uri.match(uri));
  return known ? asResult({}) : asError(invalidParams(`Resource not found: ${uri}`, { uri }).error);
}

async function contentsOf(
  catalogue: Catalogue,
  uri: string,
  ctx: CallContext,
): Promise<readonly unknown[] | undefined> {
  const resource = catalogue.resources.get(uri);
  if (resource !== undefined) return resource.read(ctx);
  for (const template of catalogue.templates) {
    const variables = template.uri.match(uri);
    if (variables !== undefined) return template.definition.read(variables, uri, ctx);
  }
  return undefined;
}

async function listResources(catalogue: Catalogue, params: unknown, ctx: CallContext): Promise<Answer> {
  const read = readCursor(params);
  if (!read.ok) return asError(read.error);
  // A list cannot be refused for one of its parts.
  const mayUse = catalogue.templates.filter(({ definition }) => lackedBy(ctx.caller, definition) === undefined);
  const members = await Promise.all(
    mayUse.map(async ({ definition, listsWhole }) => {
      const members = definition.list === undefined ? [] : await definition.list(ctx);
      return listsWhole === true ? throughWire(members) : membersOf(definition, members);
    }),
  );
  return asResult({ resources: [...catalogue.listed.resources, ...members.flat()] });
}

/** By the list that a template gave: one that gives the same list again is not listed again. */
const listedMembers = new WeakMap<object, readonly JsonObject[]>();

function membersOf(template: ResourceTemplateDefinition, list: readonly ListedResource[]): readonly JsonObject[] {
  const known = listedMembers.get(list);
  if (known !== undefined) return known;
  const members = list.map((member) => throughWire(listMember(template, member)));
  listedMembers.set(list, members);
  return members;
}

function listed(params: unknown, key: string, entries: readonly JsonObject[]): Answer {
  const read = readCursor(params);
  return read.ok ? asResult({ [key]: entries }) : asError(read.error);
}

/** A definition's own code that throws is one fixed error; its cause goes to the reporter. */
async function guarded(method: CatalogueMethod, reporter: Reporter, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (cause) {
    const { fault, cause: why } = faultOfThrown(method, cause);
    // What is missing of the configuration has a name of its own; anything else is the definition's own failure.
    if (fault.fault === 'not_configured') report(reporter, { fault: fault.fault, tool: undefined, cause: why });
    else reportInternal(reporter, why);
    return asError({ code: RPC_CODE.internal, message: internalText(method) });
  }
}

/** So that a definition that never settles is an error on every lane, and an open stream on none. */
async function inTime(
  { limits }: Catalogue,
  method: CatalogueMethod,
  ports: CallPorts,
  work: (ctx: CallContext) => Promise<Answer>,
): Promise<Answer> {
  const deadline = new Deadline(limits.deadlineMs);
  const ending = new Ending(ports.signal);
  deadline.arm();
  try {
    return await Promise.race([
      work(callContext(ports, ending)),
      deadline.passed.then((): never => {
        throw new Error(`What answers ${method} did not settle within ${limits.deadlineMs} ms`);
      }),
    ]);
  } finally {
    deadline.stop();
    ending.end();
  }
}
