/**
 * Debian's Chromium with its own model context, and an agent of the browser beside the page: it sees and calls tools over
 * the DevTools protocol, as an agent does, and not through the page.
 */
import { existsSync } from 'node:fs';
import process from 'node:process';
import { chromium, type Browser, type CDPSession, type Page } from 'playwright-core';

const PATH = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
/** The switch of version 156 for what the draft calls WebMCP. */
const WEBMCP = '--enable-features=WebMCP';

/** A browser, with the model context of its own or without. */
export function launch({ webmcp = true }: { readonly webmcp?: boolean } = {}): Promise<Browser> {
  if (!existsSync(PATH)) {
    throw new Error(
      `There is no browser at ${PATH}: "apt-get install chromium", or name one in the variable CHROMIUM.`,
    );
  }
  // Without a user namespace of its own, which a container does not give it, the sandbox does not start.
  return chromium.launch({ executablePath: PATH, args: ['--no-sandbox', ...(webmcp ? [WEBMCP] : [])] });
}

export interface SeenTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: unknown;
  readonly annotations?: Readonly<Record<string, boolean>>;
}

export interface Responded {
  readonly status: 'Completed' | 'Error' | 'Canceled';
  readonly output?: unknown;
  /** What the tool threw, as the protocol tells it. */
  readonly error?: string;
}

interface RespondedEvent {
  readonly invocationId: string;
  readonly status: Responded['status'];
  readonly output?: unknown;
  readonly exception?: { readonly description?: string };
}

export class Agent {
  readonly tools = new Map<string, SeenTool>();
  readonly #session: CDPSession;
  readonly #answers = new Map<string, PromiseWithResolvers<Responded>>();
  readonly #watchers = new Set<() => void>();

  private constructor(session: CDPSession) {
    this.#session = session;
  }

  static async of(page: Page): Promise<Agent> {
    const session = await page.context().newCDPSession(page);
    const agent = new Agent(session);
    const on = session.on.bind(session) as unknown as (event: string, listener: (params: never) => void) => void;
    on('WebMCP.toolsAdded', ({ tools }: { tools: SeenTool[] }) => {
      for (const tool of tools) agent.tools.set(tool.name, tool);
      for (const look of agent.#watchers) look();
    });
    on('WebMCP.toolsRemoved', ({ tools }: { tools: { name: string }[] }) => {
      for (const { name } of tools) agent.tools.delete(name);
      for (const look of agent.#watchers) look();
    });
    on('WebMCP.toolResponded', ({ invocationId, status, output, exception }: RespondedEvent) => {
      agent.#answer(invocationId).resolve({
        status,
        ...(output !== undefined && { output }),
        ...(exception !== undefined && { error: exception.description ?? '' }),
      });
    });
    await agent.#send('WebMCP.enable');
    return agent;
  }

  names(): readonly string[] {
    return [...this.tools.keys()].sort();
  }

  /** Resolves once the tools are as they should be. */
  async until(holds: (names: readonly string[]) => boolean): Promise<void> {
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (!holds(this.names())) return;
        this.#watchers.delete(look);
        resolve();
      };
      this.#watchers.add(look);
      look();
    });
  }

  async begin(toolName: string, input: object = {}): Promise<string> {
    const { frameTree } = await this.#send<{ frameTree: { frame: { id: string } } }>('Page.getFrameTree');
    const { invocationId } = await this.#send<{ invocationId: string }>('WebMCP.invokeTool', {
      frameId: frameTree.frame.id,
      toolName,
      input,
    });
    return invocationId;
  }

  end(invocationId: string): Promise<Responded> {
    return this.#answer(invocationId).promise;
  }

  async call(toolName: string, input: object = {}): Promise<Responded> {
    return this.end(await this.begin(toolName, input));
  }

  async cancel(invocationId: string): Promise<Responded> {
    await this.#send('WebMCP.cancelInvocation', { invocationId });
    return this.end(invocationId);
  }

  #answer(invocationId: string): PromiseWithResolvers<Responded> {
    const answer = this.#answers.get(invocationId) ?? Promise.withResolvers<Responded>();
    this.#answers.set(invocationId, answer);
    return answer;
  }

  #send<T = void>(method: string, params: object = {}): Promise<T> {
    const send = this.#session.send.bind(this.#session) as (method: string, params: object) => Promise<T>;
    return send(method, params);
  }
}
