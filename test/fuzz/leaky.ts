/** A Worker whose tools tell all they know in what they throw: the log must not repeat it. For tests only. */
import { z } from 'zod';
import {
  createCatalogue,
  createHybrid,
  definePrompt,
  defineResourceTemplate,
  defineState,
  defineStatefulTool,
  defineTool,
  reply,
} from 'hybrid-mcp';
import { legacyLane } from 'hybrid-mcp/legacy';

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const input = z.object({ secret: z.string() });
const fail = (secret: string): never => {
  throw Object.assign(new Error(`cannot use ${secret}`, { cause: new TypeError(secret) }), { data: { secret } });
};

const catalogue = createCatalogue({
  info: { name: 'leaky', title: 'Leaky', version: '1.0.0' },
  instructions: 'For tests.',
  tools: [
    defineTool({
      name: 'throws',
      title: 'Throws',
      description: 'Throws its argument.',
      input,
      annotations,
      run: ({ secret }) => fail(secret),
    }),
    defineTool({
      name: 'late',
      title: 'Late',
      description: 'Throws its argument after its deadline.',
      input,
      annotations,
      deadlineMs: 50,
      run: ({ secret }) =>
        new Promise((_resolve, reject) => {
          setTimeout(() => reject(new Error(secret)), 100);
        }),
    }),
    defineTool({
      name: 'wrong',
      title: 'Wrong',
      description: 'Replies with what its output schema forbids.',
      input,
      output: z.object({ length: z.number() }),
      annotations,
      run: ({ secret }) => reply.structured({ length: secret }),
    }),
    defineTool({
      name: 'echo',
      title: 'Echo',
      description: 'Repeats.',
      input,
      annotations,
      run: ({ secret }) => reply.text(secret),
    }),
    defineStatefulTool({
      name: 'keep',
      title: 'Keep',
      description: 'Keeps a text, and throws it the second time.',
      input,
      annotations: { ...annotations, readOnlyHint: false },
      state: defineState({ name: 'kept', schema: z.object({ text: z.string() }), initial: { text: '' } }),
      reduce: ({ text }, { secret }) =>
        text === '' ? { state: { text: secret }, reply: reply.text('kept') } : fail(secret),
    }),
  ],
  prompts: [
    definePrompt({
      name: 'throws',
      title: 'Throws',
      description: 'Throws its argument.',
      args: input,
      messages: ({ secret }) => fail(secret),
    }),
  ],
  templates: [
    defineResourceTemplate({
      uriTemplate: 'leaky://{secret}',
      name: 'throws',
      title: 'Throws',
      description: 'Throws what it is asked for.',
      read: ({ secret = '' }) => fail(secret),
    }),
  ],
});

const hybrid = createHybrid({
  catalogue,
  legacy: legacyLane(),
});

export class StateObject extends hybrid.StateObject {}
export class LegacyAgent extends hybrid.LegacyAgent {}

export default hybrid.handler satisfies ExportedHandler<Env>;
