/** A page of somebody's own that uses the module, its agent, and what it wrote on its console. */
import type { Browser, Page } from 'playwright-core';
import { Agent } from './chromium.ts';

export interface OpenPage extends AsyncDisposable {
  readonly page: Page;
  readonly agent: Agent;
  /** What this module wrote on the console of the page, and what the browser wrote there of the page's policy. */
  readonly told: string[];
  /** Lane and reason of each answer, as the server timed it. */
  readonly lanes: string[];
  /** Every request to a server: its method, and the status it was answered. */
  readonly requests: string[];
  /** The sessions that servers opened. */
  readonly sessions: string[];
  /** Evaluates an expression in the page; `tools` is what `registerServerTools` gave. */
  run<T>(expression: string): Promise<T>;
}

export interface Opened {
  readonly url: string;
  /** Runs before anything of the page does. */
  readonly before?: string;
  /** Whether the browser has a model context of its own, so that an agent can look at it. */
  readonly native?: boolean;
}

export async function openPage(browser: Browser, { url, before, native = true }: Opened): Promise<OpenPage> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const told: string[] = [];
  const lanes: string[] = [];
  const requests: string[] = [];
  const sessions: string[] = [];
  page.on('console', (message) => {
    if (/^\[(webmcp|policy)\]/.test(message.text())) told.push(message.text());
  });
  page.on('pageerror', (error) => told.push(`uncaught: ${error.message}`));
  page.on('response', (response) => {
    if (response.request().resourceType() !== 'fetch') return;
    requests.push(`${response.request().method()} ${response.status()}`);
    const session = response.headers()['mcp-session-id'];
    if (session !== undefined && !sessions.includes(session)) sessions.push(session);
    const [, lane] = /lane;desc="?([\w-]+)/.exec(response.headers()['server-timing'] ?? '') ?? [];
    if (lane !== undefined) lanes.push(lane);
  });
  // What is refused is not always written on the console: a caught attempt to make code of a text is not.
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample, sourceFile, lineNumber, columnNumber }) =>
    console.warn('[policy]', effectiveDirective, blockedURI, sample, sourceFile, lineNumber, columnNumber))`);
  if (before !== undefined) await page.addInitScript(before);
  await page.goto(url);
  const agent = native ? await Agent.of(page) : (undefined as unknown as Agent);
  return {
    page,
    agent,
    told,
    lanes,
    requests,
    sessions,
    run: (expression) => page.evaluate(expression),
    [Symbol.asyncDispose]: () => context.close(),
  };
}

/** An expression that registers the tools of a server, and gives what the page can tell about it. */
export const registering = (url: string, options = '{}', module = '/webmcp/tools.js'): string => `
  import(${JSON.stringify(module)}).then(async ({ registerServerTools }) => {
    globalThis.tools = await registerServerTools(${JSON.stringify(url)}, ${options});
    return { status: tools.status, era: tools.era, names: [...tools.tools].sort(), problems: tools.problems };
  })`;
