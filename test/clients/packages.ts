/** The clients that are tried, each with what it is installed from and what it can do. */
import type { Driver } from './driver.ts';
import { aiSdk, langChain, mastra, mcpUse, openAiAgents } from './framework-drivers.ts';
import { agents, mcpRemote, sdkV1, sdkV2 } from './sdk-drivers.ts';

export interface TriedClient {
  readonly name: string;
  /** Package and version; without any, what this project depends on. The first is the client. */
  readonly install: readonly string[];
  readonly driver: Driver;
  readonly transports: readonly ('http' | 'sse')[];
  /** Whether it offers a way to answer questions to the user. */
  readonly asks: boolean;
  /** The one path that it can speak to at all. */
  readonly only?: { readonly path: string; readonly why: string };
  /** One that this project has anyway. */
  readonly own?: true;
}

const BOTH = ['http', 'sse'] as const;
const SDK = '@modelcontextprotocol/sdk';
const NEWEST = '@modelcontextprotocol/client@2.4.0';

const v1 = (version: string, transports: TriedClient['transports'], asks: boolean): TriedClient => ({
  name: `SDK v1 ${version}`,
  install: [`${SDK}@${version}`],
  driver: sdkV1({ asks }),
  transports,
  asks,
});
const v2 = (mode: 'auto' | 'legacy'): TriedClient => ({
  name: `SDK v2 2.4.0, ${mode}`,
  install: [NEWEST],
  driver: sdkV2(mode),
  transports: BOTH,
  asks: true,
  own: true,
});

export const CLIENTS: readonly TriedClient[] = [
  {
    ...v1('1.0.4', ['sse'], false),
    install: [`${SDK}@1.0.4`, 'eventsource@2.0.2'],
    driver: sdkV1({ needsEventSource: true }),
  },
  v1('1.10.2', BOTH, false),
  v1('1.17.5', BOTH, true),
  v1('1.24.3', BOTH, true),
  { ...v1('1.32.2', BOTH, true), own: true },
  v2('auto'),
  v2('legacy'),
  {
    ...v2('auto'),
    name: 'SDK v2 2.4.0, modern',
    driver: sdkV2({ pin: '2026-07-28' }),
    transports: ['http'],
    only: { path: '/mcp', why: 'It speaks 2026-07-28 and nothing else' },
  },
  { name: 'agents 0.32.0', install: ['agents@0.32.0'], driver: agents, transports: BOTH, asks: true, own: true },
  { name: 'AI SDK 1.0.102', install: ['@ai-sdk/mcp@1.0.102'], driver: aiSdk(true), transports: BOTH, asks: true },
  { name: 'AI SDK 2.0.99', install: ['@ai-sdk/mcp@2.0.99'], driver: aiSdk(false), transports: BOTH, asks: true },
  {
    name: 'LangChain 1.1.4',
    install: ['@langchain/mcp-adapters@1.1.4', '@langchain/core@1.4.0'],
    driver: langChain,
    transports: BOTH,
    asks: false,
  },
  {
    name: 'OpenAI Agents 0.20.0',
    install: ['@openai/agents@0.20.0', 'zod@4.6.7'],
    driver: openAiAgents,
    transports: BOTH,
    asks: false,
  },
  {
    name: 'Mastra 1.18.0',
    install: ['@mastra/mcp@1.18.0', '@mastra/core@1'],
    driver: mastra,
    transports: BOTH,
    asks: true,
  },
  {
    name: 'Mastra 2.0.0',
    install: ['@mastra/mcp@2.0.0', '@mastra/core'],
    driver: mastra,
    transports: ['http'],
    asks: true,
  },
  {
    name: 'mcp-use 1.34.6',
    install: ['mcp-use@1.34.6', '@langchain/core@1.4.0', 'langchain@1'],
    driver: mcpUse,
    transports: BOTH,
    asks: true,
  },
  { name: 'mcp-remote 0.15.1', install: ['mcp-remote@0.15.1'], driver: mcpRemote, transports: BOTH, asks: true },
];

export interface Route {
  readonly name: string;
  readonly path: string;
  readonly transport: 'http' | 'sse';
  /** Of the Worker, in place of what it does without. */
  readonly vars: Readonly<Record<string, string>>;
}

/** The first deployment, and what each flag can make of a route on the way. */
const FIRST = {};
const MOVED = { LEGACY_ROUTE_STAGE: 'stateless', MCP_ROUTE_STAGE: 'legacy' };
export const ROUTES: readonly Route[] = [
  { name: '/legacy/mcp at legacy', path: '/legacy/mcp', transport: 'http', vars: FIRST },
  { name: '/legacy/mcp at stateless', path: '/legacy/mcp', transport: 'http', vars: MOVED },
  { name: '/legacy/sse', path: '/legacy/sse', transport: 'sse', vars: FIRST },
  { name: '/mcp at stateless', path: '/mcp', transport: 'http', vars: FIRST },
  { name: '/mcp at legacy', path: '/mcp', transport: 'http', vars: MOVED },
];
