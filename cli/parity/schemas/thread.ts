/** The thread that works on schemas of strangers. It may be ended at any moment, and keeps nothing that matters. */
import { parentPort } from 'node:worker_threads';
import { objectIn, textOf } from '../../../src/parity/surface/listing.ts';
import type { Validate } from '../../../src/parity/own-listing.ts';
import type { JsonObject } from '../../../src/shared/json.ts';
import { hintsOf, toolCases } from '../cases/generated.ts';
import { probesOf, seedFor } from '../generate/inputs.ts';
import { compileSchema, type Compiled } from '../validate.ts';
import { READY, type Question, type Reply, type Results, type Task } from './messages.ts';

const compiled = new Map<string, Validate>();
/** What a tool takes is asked for in each round of trying it, and then once more. */
const inputs = new Map<string, Compiled>();
const MOST_INPUTS = 500;

function compiledInput(schema: JsonObject): Compiled {
  const text = JSON.stringify(schema);
  const made = inputs.get(text) ?? compileSchema(schema);
  if (inputs.size < MOST_INPUTS) inputs.set(text, made);
  return made;
}

parentPort?.on('message', ({ id, task }: Question) => {
  let reply: Reply;
  try {
    reply = { id, result: work(task) };
  } catch (thrown) {
    reply = { id, threw: thrown instanceof Error ? thrown.message : String(thrown) };
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(reply);
});

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage({ id: READY, result: undefined } satisfies Reply);

function work(task: Task): Results[keyof Results] {
  switch (task.task) {
    case 'compile': {
      const made = compileSchema(task.schema);
      if (!made.ok) return made;
      // One that leads back to itself without an end shows it on the first value, whatever the value.
      made.validate({});
      compiled.set(task.key, made.validate);
      return { ok: true };
    }
    case 'validate':
      return compiled.get(task.key)?.(task.value);
    case 'generate': {
      const made = compiledInput(objectIn(task.tool['inputSchema']));
      if (!made.ok) return made;
      return toolCases(task.tool, made.validate, task.surface, task.draw);
    }
    case 'probe': {
      const { tool, surface, draw, round } = task;
      const schema = objectIn(tool['inputSchema']);
      const made = compiledInput(schema);
      if (!made.ok) return [];
      const { validate } = made;
      return probesOf(
        schema,
        (value) => validate(value) === undefined,
        { ...draw, seed: seedFor(draw.seed + round, textOf(tool['name'])), hints: hintsOf(tool, surface, draw) },
        round,
      );
    }
  }
}
