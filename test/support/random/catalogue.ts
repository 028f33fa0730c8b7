/** Makes the drawn tools into a catalogue. Every tool is a pure function of its arguments. */
import { z } from 'zod';
import {
  type AnyTool,
  type Catalogue,
  createCatalogue,
  defineState,
  defineStatefulTool,
  defineTool,
  reply,
  type ToolReply,
} from 'hybrid-mcp/define';
import type { DrawnTool } from './draw.ts';
import { toZodObject } from './spec.ts';

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const counter = defineState({
  name: 'counter',
  schema: z.object({ value: z.number().int(), last: z.string() }),
  initial: { value: 0, last: '' },
});

export function randomCatalogueOf(tools: readonly DrawnTool[]): Catalogue {
  return createCatalogue({
    info: { name: 'random', title: 'Random', version: '1.0.0' },
    instructions: '',
    limits: { deadlineMs: 5_000, maxResultBytes: 100_000 },
    tools: tools.map(toolOf),
  });
}

function toolOf(drawn: DrawnTool): AnyTool {
  const { name, behaviour } = drawn;
  const base = { name, title: name, description: `Does ${behaviour}.`, input: toZodObject(drawn.input), annotations };
  switch (behaviour) {
    case 'echo':
      return defineTool({ ...base, run: (input) => reply.text(JSON.stringify(input)) });
    case 'structured':
      return defineTool({ ...base, output: toZodObject(drawn.input), run: (input) => reply.structured(input) });
    case 'loose':
      return defineTool({
        ...base,
        output: toZodObject(drawn.output),
        run: (input) => ({ structuredContent: pick(drawn, input) }) as ToolReply,
      });
    case 'refuse':
      return defineTool({ ...base, run: (input) => reply.error(`No: ${JSON.stringify(input)}`) });
    case 'throw':
      return defineTool({
        ...base,
        run: (input) => {
          throw pick(drawn, input);
        },
      });
    case 'broken':
      return defineTool({ ...base, run: (input) => pick(drawn, input) as ToolReply });
    case 'counter':
      return counterOf(drawn);
  }
}

function counterOf(drawn: DrawnTool): AnyTool {
  return defineStatefulTool({
    name: drawn.name,
    title: drawn.name,
    description: 'Adds, refuses or throws.',
    input: toZodObject(drawn.input).extend({ by: z.number().int().min(-9).max(9).default(1) }),
    output: z.object({ value: z.number().int(), last: z.string() }),
    annotations,
    state: counter,
    reduce: (state, input) => {
      const { by } = input as { by: number };
      const next = { value: state.value + by, last: JSON.stringify(input).slice(0, 50) };
      if (by === 9) throw new Error('nine');
      return { state: next, reply: by < 0 ? reply.error(`not ${by}`) : reply.structured(next) };
    },
  });
}

/** The drawn values in turn of the size of the input: a function of the arguments, so that every lane picks the same. */
function pick({ replies }: DrawnTool, input: unknown): unknown {
  return structuredClone(replies[JSON.stringify(input).length % replies.length]);
}
