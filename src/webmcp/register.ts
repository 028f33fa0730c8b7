/** Keeps the tools of one server registered in the model context of the page, for as long as the page wants them. */
import type { Tool } from '@modelcontextprotocol/client';
import { createConnection } from './connection.ts';
import type { ModelContext } from './context.ts';
import type { Problem, ServerTools, ServerToolsOptions } from './options.ts';
import { callProblem, codeOf, mayPass, problemOf } from './problem.ts';
import { tellProblem } from './tell.ts';
import { describeTool, LARGEST_DEFINITION, tooLarge } from './tool.ts';
import { ToolError, valueOf } from './value.ts';

interface Registered {
  /** The definition as text, to see whether it has changed. */
  readonly definition: string;
  readonly name: string;
  readonly controller: AbortController;
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;
const INVALID_PARAMS = -32_602;

export async function keepRegistered(
  context: ModelContext,
  { address, timeoutMs }: { readonly address: URL; readonly timeoutMs: number },
  options: ServerToolsOptions,
): Promise<ServerTools> {
  const { prefix = '', errors = 'reject', onProblem = tellProblem } = options;
  const nameOf = typeof prefix === 'function' ? prefix : (name: string): string => `${prefix}${name}`;
  const registered = new Map<string, Registered>();
  const ended = new AbortController();
  let status: ServerTools['status'] = 'waiting';
  let serverProblem: Problem | undefined;
  let toolProblems: readonly Problem[] = [];
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let syncing: Promise<void> | undefined;
  let isStale = false;

  const connection = createConnection({
    ...options,
    address,
    timeoutMs,
    ended: ended.signal,
    onListChange: (how) => {
      if (how === 'told') void sync();
      else later(true);
    },
  });

  /** One reading of the list at a time; a change that is told meanwhile is read after it. */
  async function sync(): Promise<void> {
    isStale = true;
    syncing ??= (async () => {
      while (isStale && !ended.signal.aborted) {
        isStale = false;
        await readList();
      }
    })().finally(() => {
      syncing = undefined;
    });
    return syncing;
  }

  async function readList(): Promise<void> {
    if (timer !== undefined) clearTimeout(timer);
    try {
      const tools = await connection.listTools();
      if (ended.signal.aborted) return;
      await take(tools);
      if (ended.signal.aborted) return;
      serverProblem = undefined;
      failures = 0;
      status = 'registered';
    } catch (error) {
      if (ended.signal.aborted) return;
      await failed(problemOf(error, connection.url));
    }
    options.onChange?.(handle);
  }

  /** What is registered stays: the server may be back for the next call. */
  async function failed(problem: Problem): Promise<void> {
    if (serverProblem?.message !== problem.message) onProblem(problem);
    serverProblem = problem;
    await connection.drop();
    if (mayPass(problem)) {
      status = 'waiting';
      later(false);
    } else status = 'failed';
  }

  function later(isNew: boolean): void {
    if (ended.signal.aborted) return;
    if (timer !== undefined) clearTimeout(timer);
    const wait = connection.retryAfterMs() ?? Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures);
    failures += 1;
    timer = setTimeout(() => void (isNew ? connection.drop().then(sync) : sync()), wait);
  }

  async function take(tools: readonly Tool[]): Promise<void> {
    const listed = new Map(tools.map((tool) => [tool.name, tool]));
    const definitions = new Map([...listed].map(([name, tool]) => [name, JSON.stringify(tool)]));
    for (const [name, { definition, controller }] of registered) {
      if (definitions.get(name) === definition) continue;
      controller.abort();
      registered.delete(name);
    }
    const fresh = [...listed.values()].filter(({ name }) => !registered.has(name));
    const problems = await Promise.all(fresh.map((tool) => add(tool, definitions.get(tool.name) ?? '')));
    const told = new Set(toolProblems.map(({ message }) => message));
    toolProblems = problems.filter((problem) => problem !== undefined);
    for (const problem of toolProblems) if (!told.has(problem.message)) onProblem(problem);
  }

  async function add(tool: Tool, definition: string): Promise<Problem | undefined> {
    const controller = new AbortController();
    try {
      const described = describeTool(tool, nameOf);
      const units = tooLarge(described);
      if (units !== undefined) {
        const message = `The tool "${tool.name}" was not registered: its definition has ${units} characters, and more than ${LARGEST_DEFINITION} would fill a model's context. Shorten its description or its schema.`;
        return { kind: 'tool-too-large', tool: tool.name, message };
      }
      const execute = (input: unknown, second?: unknown): Promise<unknown> => call(tool.name, input, second);
      await context.register({ ...described, execute }, controller.signal);
      if (ended.signal.aborted) controller.abort();
      else registered.set(tool.name, { definition, name: described.name, controller });
      return undefined;
    } catch (cause) {
      controller.abort();
      return refusal(tool.name, nameOf, cause);
    }
  }

  async function call(name: string, input: unknown, second: unknown): Promise<unknown> {
    const { signal } = (second ?? {}) as { signal?: unknown };
    const stop = signal instanceof AbortSignal ? AbortSignal.any([signal, ended.signal]) : ended.signal;
    stop.throwIfAborted();
    try {
      return valueOf(await connection.callTool(name, { ...(input as object) }, stop), errors);
    } catch (error) {
      if (error instanceof ToolError) throw error;
      if (stop.aborted) throw stop.reason;
      if (codeOf(error) === INVALID_PARAMS) void sync();
      const message = callProblem(error, connection.url);
      if (errors === 'value') return { error: message };
      throw new ToolError(message);
    }
  }

  const handle: ServerTools = {
    get status() {
      return status;
    },
    get tools() {
      return [...registered.values()].map(({ name }) => name);
    },
    get problems() {
      return [...(serverProblem === undefined ? [] : [serverProblem]), ...toolProblems];
    },
    get era() {
      return connection.era;
    },
    refresh: sync,
    dispose,
    [Symbol.asyncDispose]: dispose,
  };

  async function dispose(): Promise<void> {
    if (status === 'disposed') return;
    status = 'disposed';
    if (timer !== undefined) clearTimeout(timer);
    ended.abort(new DOMException('The tools of this server were taken away.', 'AbortError'));
    for (const { controller } of registered.values()) controller.abort();
    registered.clear();
    await connection.drop();
    options.onChange?.(handle);
  }

  if (options.signal?.aborted === true) await dispose();
  options.signal?.addEventListener('abort', () => void dispose(), { once: true });
  await sync();
  return handle;
}

/** The browser's word for a name that is there already is its only sign that differs from other refusals. */
function refusal(tool: string, nameOf: (name: string) => string, cause: unknown): Problem {
  const { message: words } = cause instanceof Error ? cause : new Error(String(cause));
  const isTaken = /duplicate|already/i.test(words);
  return isTaken
    ? {
        kind: 'name-taken',
        tool,
        message: `The tool "${tool}" was not registered: this page has a tool named "${nameOf(tool)}" already. Give the server's tools a "prefix".`,
      }
    : {
        kind: 'tool-refused',
        tool,
        message: `The tool "${tool}" was not registered: the browser refuses it. ${words}. Change the tool, or its name by a function as "prefix".`,
      };
}
