/** The suite's tools that need nothing from the client but their arguments. Names and texts are the suite's. */
import { z } from 'zod';
import { defineTool, reply, type ToolContext, type ToolReply } from 'hybrid-mcp/define';
import { audio, image } from './content.ts';

export const hints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

/** A tool without arguments. */
export const plain = (name: string, description: string, run: (ctx: ToolContext) => ToolReply | Promise<ToolReply>) =>
  defineTool({
    name,
    title: name,
    description,
    input: z.object({}),
    annotations: hints,
    run: (_input, ctx) => run(ctx),
  });

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function logThrice(ctx: ToolContext): Promise<ToolReply> {
  ctx.log('info', 'Tool execution started');
  await pause(50);
  ctx.log('info', 'Tool processing data');
  await pause(50);
  ctx.log('info', 'Tool execution completed');
  return reply.text('Logged three times.');
}

const address = z.object({ street: z.string(), city: z.string() }).meta({ id: 'address' });

export const tools = [
  plain('test_simple_text', 'Returns text.', () => reply.text('This is a simple text response for testing.')),
  plain('test_image_content', 'Returns an image.', () => reply.blocks(image)),
  plain('test_audio_content', 'Returns a sound.', () => reply.blocks(audio)),
  plain('test_embedded_resource', 'Returns an embedded resource.', () =>
    reply.blocks({
      type: 'resource',
      resource: {
        uri: 'test://embedded-resource',
        mimeType: 'text/plain',
        text: 'This is an embedded resource content.',
      },
    }),
  ),
  plain('test_multiple_content_types', 'Returns text, an image and a resource.', () =>
    reply.blocks({ type: 'text', text: 'Multiple content types test:' }, image, {
      type: 'resource',
      resource: {
        uri: 'test://mixed-content-resource',
        mimeType: 'application/json',
        text: '{"test":"data","value":123}',
      },
    }),
  ),
  plain('test_tool_with_logging', 'Logs three times.', logThrice),
  plain('test_logging_tool', 'Logs once.', (ctx) => {
    ctx.log('info', 'Tool execution started');
    return reply.text('Logged once.');
  }),
  plain('test_error_handling', 'Always refuses.', () =>
    reply.error('This tool intentionally returns an error for testing'),
  ),
  plain('test_tool_with_progress', 'Reports progress three times.', async (ctx) => {
    for (const progress of [0, 50, 100]) {
      ctx.progress({ progress, total: 100 });
      await pause(50);
    }
    return reply.text('Reported three times.');
  }),
  plain('test_reconnection', 'Answers after a pause in which a client could lose its stream.', async () => {
    await pause(100);
    return reply.text('Reconnected.');
  }),
  defineTool({
    name: 'json_schema_2020_12_tool',
    title: 'json_schema_2020_12_tool',
    description: 'Tool with JSON Schema 2020-12 features',
    input: z.strictObject({ name: z.string().optional(), address: address.optional() }),
    annotations: hints,
    run: ({ name }) => reply.text(name ?? 'nobody'),
  }),
];
