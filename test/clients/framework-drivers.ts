/** Clients that frameworks have of their own, or around an SDK's. */
import { answerOf, CannotError, namesOf, SURE, type Answer, type Driver } from './driver.ts';

/** `callsListed` is for its first version, which calls what it made of the listing. */
export const aiSdk =
  (callsListed: boolean): Driver =>
  async (load, { url, transport }) => {
    const { createMCPClient, ElicitationRequestSchema } = await load('@ai-sdk/mcp');
    const client = await createMCPClient({ transport: { type: transport, url }, capabilities: { elicitation: {} } });
    client.onElicitationRequest(ElicitationRequestSchema, () => SURE);
    return {
      list: async () => namesOf((await client.listTools()).tools),
      call: async (name, args) => {
        if (!callsListed) return answerOf(await client.callTool({ name, arguments: args }));
        const tool = (await client.tools())[name];
        if (tool === undefined) throw new CannotError('calls only tools that are listed');
        return answerOf(await tool.execute(args, { messages: [], toolCallId: '1' }));
      },
      close: () => client.close(),
    };
  };

export const langChain: Driver = async (load, { url, transport }) => {
  const { MultiServerMCPClient } = await load('@langchain/mcp-adapters');
  const mcpServers = { tried: { url, transport, automaticSSEFallback: false } };
  const client = new MultiServerMCPClient({ mcpServers, throwOnLoadError: true, useStandardContentBlocks: false });
  const tools: { name: string; invoke: (args: object) => Promise<unknown> }[] = await client.getTools();
  return {
    list: async () => namesOf(tools),
    call: async (name, args) => {
      const tool = tools.find((each) => each.name === name);
      if (tool === undefined) throw new CannotError('calls only tools that are listed');
      return { text: textOf(await tool.invoke(args)), isError: false };
    },
    close: () => client.close(),
  };
};

export const openAiAgents: Driver = async (load, { url, transport }) => {
  const { MCPServerStreamableHttp, MCPServerSSE } = await load('@openai/agents');
  const server = new (transport === 'http' ? MCPServerStreamableHttp : MCPServerSSE)({ url, name: 'tried' });
  await server.connect();
  return {
    list: async () => namesOf(await server.listTools()),
    call: async (name, args) => answerOf(await server.callToolResult(name, args)),
    close: () => server.close(),
  };
};

export const mcpUse: Driver = async (load, { url, transport }) => {
  const { MCPClient } = await load('mcp-use');
  const client = new MCPClient({ mcpServers: { tried: { url, transport } } }, { onElicitation: async () => SURE });
  const session = await client.createSession('tried');
  return {
    list: async () => namesOf(await session.listTools()),
    call: async (name, args) => answerOf(await session.callTool(name, args)),
    close: () => client.closeAllSessions(),
  };
};

export const mastra: Driver = async (load, { url }) => {
  const { MCPClient } = await load('@mastra/mcp');
  const servers = { tried: { url: new URL(url), inputRequests: async () => SURE } };
  const client = new MCPClient({ id: crypto.randomUUID(), servers });
  // Its first version is told afterwards.
  await client.elicitation?.onRequest('tried', async () => SURE);
  const { toolsets, errors } = await client.listToolsetsWithErrors();
  if (toolsets.tried === undefined) throw new Error(String(errors?.tried));
  const tools = toolsets.tried as Record<string, { execute: (...input: object[]) => Promise<unknown> }>;
  return {
    list: async () => Object.keys(tools),
    call: async (name, args) => {
      const tool = tools[name];
      if (tool === undefined) throw new CannotError('calls only tools that are listed');
      return replied(await tool.execute(args, {}));
    },
    close: () => client.disconnect(),
  };
};

/** What a model is shown: a text, blocks, or the structured content alone. */
function textOf(output: unknown): string {
  if (typeof output === 'string') return output;
  if (Array.isArray(output)) return output.map(textOf).join('\n');
  const { text } = output as { text?: string };
  return text ?? JSON.stringify(output);
}

function replied(output: unknown): Answer {
  const result = output as { content?: unknown; isError?: boolean };
  return Array.isArray(result.content) ? answerOf(result as never) : { text: textOf(output), isError: false };
}
