/** Each type of content for each protocol version that a client can agree to: what an older version lacks is told otherwise. */
import { SUPPORTED_PROTOCOL_VERSIONS as OF_V1 } from '@modelcontextprotocol/sdk/types.js';
import { SUPPORTED_PROTOCOL_VERSIONS as OF_V2 } from '@modelcontextprotocol/server';
import { describe, it } from 'vitest';
import { z } from 'zod';
import { createCatalogue } from '../../src/shared/catalogue/catalogue.ts';
import { definePrompt } from '../../src/shared/define/prompt.ts';
import type { ContentBlock, ToolReply } from '../../src/shared/define/reply.ts';
import { defineTool } from '../../src/shared/define/tool.ts';
import { answer } from '../../src/shared/protocol/answer.ts';
import { fakePorts } from '../support/ports.ts';

const VERSIONS = ['2024-10-07', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const;
type Version = (typeof VERSIONS)[number];

const annotations = { audience: ['user'], priority: 1 } as const;
const _meta = { 'example.com/x': 1 } as const;
const AUDIO = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav', annotations, _meta } as const;
const AUDIO_AS_RESOURCE = {
  type: 'resource',
  resource: { uri: 'audio:block-1', mimeType: 'audio/wav', blob: 'AAAA' },
  annotations,
  _meta,
} as const;
const LINK = {
  type: 'resource_link',
  uri: 'docs://a',
  name: 'a',
  title: 'A document',
  description: 'All about a.',
  mimeType: 'text/markdown',
  size: 12,
  annotations,
  _meta,
} as const;
const LINK_AS_TEXT = {
  type: 'text',
  text: 'Resource: A document (a)\nURI: docs://a\nMedia type: text/markdown\nBytes: 12\nDescription: All about a.',
  annotations,
  _meta,
} as const;
const BARE_LINK = { type: 'resource_link', uri: 'docs://b', name: 'b' } as const;
const BARE_AS_TEXT = { type: 'text', text: 'Resource: b\nURI: docs://b' } as const;
const RESOURCE = { type: 'resource', resource: { uri: 'docs://a', text: 'a' }, annotations, _meta } as const;
const IMAGE = { type: 'image', data: 'AAAA', mimeType: 'image/png', annotations, _meta } as const;
const TEXT = { type: 'text', text: 'a', annotations, _meta } as const;

/** From which version on a block arrives as it is, and what comes before that. */
const BLOCKS: readonly (readonly [ContentBlock, Version, ContentBlock])[] = [
  [TEXT, '2024-10-07', TEXT],
  [IMAGE, '2024-10-07', IMAGE],
  [RESOURCE, '2024-10-07', RESOURCE],
  [AUDIO, '2025-03-26', AUDIO_AS_RESOURCE],
  [LINK, '2025-06-18', LINK_AS_TEXT],
  [BARE_LINK, '2025-06-18', BARE_AS_TEXT],
];

const rows = VERSIONS.flatMap((version) =>
  BLOCKS.map(([block, since, before]) => [block.type, version, block, version >= since ? block : before] as const),
);

function catalogueOf(reply: ToolReply) {
  const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
  const base = { title: 'X', description: 'X.' };
  return createCatalogue({
    info: { name: 'x', title: 'X', version: '1' },
    instructions: 'X.',
    tools: [defineTool({ ...base, name: 'x', input: z.object({}), annotations: hints, run: () => reply })],
    prompts: [
      definePrompt({
        ...base,
        name: 'x',
        args: z.object({}),
        messages: () => (reply.content ?? []).map((content) => ({ role: 'user' as const, content })),
      }),
    ],
  });
}

async function resultOf(method: 'tools/call' | 'prompts/get', reply: ToolReply, version: string | undefined) {
  const catalogue = catalogueOf(reply);
  const ports = { ...fakePorts(catalogue), ...(version !== undefined && { version }) };
  const outcome = await answer(catalogue, method, { name: 'x' }, ports);
  return outcome.kind === 'result' ? outcome.result : outcome;
}

describe('the table', () => {
  it('has every version that either SDK agrees to', ({ expect }) => {
    expect(
      [...new Set([...OF_V1, ...OF_V2])].filter((version) => !VERSIONS.some((known) => known === version)),
    ).toEqual([]);
    expect(rows.length).toBe(36);
  });
});

describe('content for each version', () => {
  it.for(rows)('%s for %s', async ([, version, block, wanted], { expect }) => {
    expect(await resultOf('tools/call', { content: [block] }, version)).toEqual({ content: [wanted] });
    expect(await resultOf('prompts/get', { content: [block] }, version)).toEqual({
      description: 'X.',
      messages: [{ role: 'user', content: wanted }],
    });
  });

  it('is as it was for a client whose version nobody knows', async ({ expect }) => {
    const content = BLOCKS.map(([block]) => block);
    expect(await resultOf('tools/call', { content }, undefined)).toEqual({ content });
  });

  it('keeps its order', async ({ expect }) => {
    const { content } = (await resultOf('tools/call', { content: [TEXT, LINK, AUDIO, TEXT] }, '2024-11-05')) as {
      content: unknown;
    };
    const third = { ...AUDIO_AS_RESOURCE, resource: { ...AUDIO_AS_RESOURCE.resource, uri: 'audio:block-3' } };
    expect(content).toEqual([TEXT, LINK_AS_TEXT, third, TEXT]);
  });
});

describe('structured content for each version', () => {
  const structuredContent = { n: 1 };
  const told = { type: 'text', text: '{"n":1}' };
  it.for(VERSIONS)('%s: the text has what the client may not see', async (version, { expect }) => {
    const without = await resultOf('tools/call', { structuredContent }, version);
    expect(without).toEqual({ content: [told], structuredContent });
    const beside = await resultOf('tools/call', { content: [TEXT], structuredContent }, version);
    expect(beside).toEqual({ content: version < '2025-06-18' ? [TEXT, told] : [TEXT], structuredContent });
  });
});

describe('audio for the client’s model', () => {
  it.for(VERSIONS)('%s', async (version, { expect }) => {
    const tool = defineTool({
      name: 'x',
      title: 'X',
      description: 'X.',
      input: z.object({}),
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      run: async (_input, ctx) => {
        await ctx.sample('s', { messages: [{ role: 'user', content: AUDIO }], maxTokens: 1 });
        return { content: [] };
      },
    });
    const catalogue = createCatalogue({
      info: { name: 'x', title: 'X', version: '1' },
      instructions: 'X.',
      tools: [tool],
    });
    const ask = { kind: 'rounds', client: new Set(['sampling'] as const), answers: new Map() } as const;
    const outcome = await answer(catalogue, 'tools/call', { name: 'x' }, { ...fakePorts(catalogue), ask, version });
    const text = { type: 'text', text: 'Audio (audio/wav) in base64: AAAA', annotations, _meta };
    expect(outcome).toMatchObject({
      kind: 'questions',
      questions: [{ params: { messages: [{ content: version < '2025-03-26' ? text : AUDIO }], maxTokens: 1 } }],
    });
  });
});
