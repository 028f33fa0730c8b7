/** The suite's prompts. Names and texts are the suite's. */
import { z } from 'zod';
import { type ContentBlock, definePrompt, type PromptMessage } from 'hybrid-mcp/define';
import { image } from './content.ts';

const says = (content: ContentBlock): PromptMessage => ({ role: 'user', content });
const text = (text: string): PromptMessage => says({ type: 'text', text });

export const prompts = [
  definePrompt({
    name: 'test_simple_prompt',
    title: 'Simple prompt',
    description: 'A simple prompt.',
    args: z.object({}),
    messages: () => [text('This is a simple prompt for testing.')],
  }),
  definePrompt({
    name: 'test_prompt_with_arguments',
    title: 'Prompt with arguments',
    description: 'Repeats its arguments.',
    args: z.object({ arg1: z.string().describe('First test argument'), arg2: z.string().describe('Second') }),
    complete: { arg1: (typed) => ['test', 'testing', 'paris'].filter((value) => value.startsWith(typed)) },
    messages: ({ arg1, arg2 }) => [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  }),
  definePrompt({
    name: 'test_prompt_with_embedded_resource',
    title: 'Prompt with a resource',
    description: 'Embeds a resource.',
    args: z.object({ resourceUri: z.string().describe('URI of the resource to embed') }),
    messages: ({ resourceUri }) => [
      says({
        type: 'resource',
        resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
      }),
      text('Please process the embedded resource above.'),
    ],
  }),
  definePrompt({
    name: 'test_prompt_with_image',
    title: 'Prompt with an image',
    description: 'Shows an image.',
    args: z.object({}),
    messages: () => [says(image), text('Please analyze the image above.')],
  }),
  definePrompt({
    name: 'test_input_required_result_prompt',
    title: 'Prompt that asks',
    description: 'Asks the user for a context.',
    args: z.object({}),
    messages: async (_args, ctx) => {
      const schema = z.object({ context: z.string() });
      const answer = await ctx.ask('user_context', { message: 'What context should the prompt use?', schema });
      return [text(answer.action === 'accept' ? answer.content.context : 'No context.')];
    },
  }),
];
