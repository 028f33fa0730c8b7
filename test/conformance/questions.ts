/** The suite's tools that ask the client for something. Names, keys and texts are the suite's. */
import { z } from 'zod';
import { defineTool, reply, type ToolContext, type ToolReply } from 'hybrid-mcp/define';
import { hints, plain } from './tools.ts';

const name = z.object({ name: z.string() });
const confirmation = z.object({ ok: z.boolean() });

const said = (what: string, answer: unknown): ToolReply => reply.text(`${what}: ${JSON.stringify(answer)}`);

const prompted = (text: string, maxTokens: number) => ({
  messages: [{ role: 'user', content: { type: 'text', text } }] as const,
  maxTokens,
});
const confirm = (ctx: ToolContext) => ctx.ask('confirm', { message: 'Please confirm', schema: confirmation });

/** Every kind of choice that a form may have (SEP-1330). */
const choices = z.object({
  untitledSingle: z.enum(['option1', 'option2', 'option3']),
  titledSingle: z.string().meta({
    oneOf: [
      { const: 'value1', title: 'First Option' },
      { const: 'value2', title: 'Second Option' },
    ],
  }),
  legacyEnum: z.enum(['opt1', 'opt2', 'opt3']).meta({ enumNames: ['Option One', 'Option Two', 'Option Three'] }),
  untitledMulti: z.array(z.enum(['option1', 'option2', 'option3'])),
  titledMulti: z.array(
    z.string().meta({
      anyOf: [
        { const: 'value1', title: 'First Choice' },
        { const: 'value2', title: 'Second Choice' },
      ],
    }),
  ),
});

/** A default for every primitive type (SEP-1034). */
const defaults = z.object({
  name: z.string().default('John Doe'),
  age: z.number().int().default(30),
  score: z.number().default(95.5),
  status: z.enum(['active', 'inactive', 'pending']).default('active'),
  verified: z.boolean().default(true),
});

export const questions = [
  defineTool({
    name: 'test_elicitation',
    title: 'test_elicitation',
    description: 'Asks for a user name and an address.',
    input: z.object({ message: z.string() }),
    annotations: hints,
    run: async ({ message }, ctx) => {
      const schema = z.object({ username: z.string(), email: z.string() });
      return said('User response', await ctx.ask('user', { message, schema }));
    },
  }),
  defineTool({
    name: 'test_sampling',
    title: 'test_sampling',
    description: "Passes a prompt to the client's model.",
    input: z.object({ prompt: z.string() }),
    annotations: hints,
    run: async ({ prompt }, ctx) => said('LLM response', (await ctx.sample('answer', prompted(prompt, 100))).content),
  }),
  plain('test_elicitation_sep1034_defaults', 'Asks with defaults.', async (ctx) =>
    said('Elicitation completed', await ctx.ask('defaults', { message: 'Please check these.', schema: defaults })),
  ),
  plain('test_elicitation_sep1330_enums', 'Asks with choices.', async (ctx) =>
    said('Elicitation completed', await ctx.ask('choices', { message: 'Please choose.', schema: choices })),
  ),
  plain('test_input_required_result_elicitation', 'Asks for a name.', async (ctx) => {
    const answer = await ctx.ask('user_name', { message: 'What is your name?', schema: name });
    return reply.text(answer.action === 'accept' ? `Hello, ${answer.content.name}!` : 'Hello!');
  }),
  plain('test_streaming_elicitation', 'Asks for a confirmation.', async (ctx) => said('Confirmed', await confirm(ctx))),
  plain('test_input_required_result_sampling', 'Asks the model.', async (ctx) => {
    const sample = await ctx.sample('capital_question', prompted('What is the capital of France?', 100));
    return said('The model said', sample.content);
  }),
  plain('test_missing_capability', 'Asks the model.', async (ctx) =>
    said('The model said', (await ctx.sample('question', prompted('What is there to say?', 100))).content),
  ),
  plain('test_input_required_result_list_roots', 'Asks for the roots.', async (ctx) =>
    said('Roots', await ctx.roots('client_roots')),
  ),
  plain('test_input_required_result_request_state', 'Asks for a confirmation.', async (ctx) =>
    said('state-ok', await confirm(ctx)),
  ),
  plain('test_input_required_result_tampered_state', 'Asks for a confirmation.', async (ctx) =>
    said('Confirmed', await confirm(ctx)),
  ),
  plain('test_input_required_result_multiple_inputs', 'Asks three questions at once.', async (ctx) =>
    said(
      'Answers',
      await Promise.all([
        ctx.ask('user_name', { message: 'What is your name?', schema: name }),
        ctx.sample('greeting', prompted('Generate a greeting', 50)),
        ctx.roots('client_roots'),
      ]),
    ),
  ),
  plain('test_input_required_result_multi_round', 'Asks two questions, one after the other.', async (ctx) => {
    const first = await ctx.ask('step1', { message: 'Step 1: What is your name?', schema: name });
    const schema = z.object({ color: z.string() });
    const second = await ctx.ask('step2', { message: 'Step 2: What is your favorite color?', schema });
    return said('Answers', [first, second]);
  }),
  plain('test_input_required_result_capabilities', 'Asks only for what the client declared.', async (ctx) =>
    said(
      'Answers',
      await Promise.all([
        ctx.can('elicitation') ? ctx.ask('user_name', { message: 'What is your name?', schema: name }) : undefined,
        ctx.can('sampling') ? ctx.sample('greeting', prompted('Generate a greeting', 50)) : undefined,
        ctx.can('roots') ? ctx.roots('client_roots') : undefined,
      ]),
    ),
  ),
];
