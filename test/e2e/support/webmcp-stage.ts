/** The Worker that pages call, a browser, and servers that answer what they should not, for the tests of one file. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { startDevServer, type DevServer } from '../../../scripts/lib/dev-server.ts';
import { launch } from './chromium.ts';
import { startOddServer, type OddServer } from './odd-server.ts';
import { openPage, type OpenPage } from './webmcp-page.ts';

const ADMIN_TOKEN = 'a-token-of-thirty-two-characters';

export interface WebmcpStage {
  readonly url: string;
  readonly browser: Browser;
  readonly odd: OddServer;
  /** An empty page of the Worker. */
  readonly open: () => Promise<OpenPage>;
  readonly post: (path: string, body: object) => Promise<unknown>;
  /** The names that the server lists, as it answers them to anybody. */
  readonly listed: () => Promise<readonly string[]>;
  /** As a deployment with these variables would do it. */
  readonly deploy: (vars: Readonly<Record<string, string>>) => Promise<unknown>;
}

export function webmcpStage(): WebmcpStage {
  let server: DevServer;
  let browser: Browser;
  let odd: OddServer;
  beforeAll(async () => {
    [server, browser, odd] = await Promise.all([
      startDevServer({ config: 'test/webmcp/wrangler.toml', vars: { ADMIN_TOKEN, LOG_LEVEL: 'error' } }),
      launch(),
      startOddServer(),
    ]);
  });
  afterAll(async () => {
    await Promise.all([server.stop(), browser.close(), odd[Symbol.asyncDispose]()]);
  });

  async function post(path: string, body: object): Promise<unknown> {
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${ADMIN_TOKEN}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    const json = text.startsWith('{') ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? 'null');
    return JSON.parse(json);
  }

  return {
    get url() {
      return server.url;
    },
    get browser() {
      return browser;
    },
    get odd() {
      return odd;
    },
    open: () => openPage(browser, { url: `${server.url}/blank` }),
    post,
    listed: async () => {
      const { result } = (await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' })) as {
        result: { tools: { name: string }[] };
      };
      if (result.tools.length < 30) throw new Error('The server lists too few tools');
      return result.tools.map(({ name }) => name).sort();
    },
    deploy: (vars) => post('/deploy', vars),
  };
}

/** Flags and stages are seen within five seconds. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + 20_000;
  while (!(await holds())) {
    if (Date.now() > giveUpAt) throw new Error('Waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
