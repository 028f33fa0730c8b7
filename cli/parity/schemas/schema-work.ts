/**
 * Work on schemas of strangers, bounded in time and memory: each task runs in a thread and has a deadline, and a thread
 * that does not keep it is ended. What failed once is not tried again: the schema is told of and no longer asked.
 */
import { existsSync } from 'node:fs';
import { URL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { ValidateLater } from '../../../src/parity/own-listing.ts';
import { textOf, type Surface } from '../../../src/parity/surface/listing.ts';
import type { Json, JsonObject } from '../../../src/shared/json.ts';
import type { ToolCases } from '../cases/generated.ts';
import type { Draw } from '../generate/inputs.ts';
import { compileSchema } from '../validate.ts';
import { READY, type Question, type Reply, type Results, type Task } from './messages.ts';
import { isPlain } from './plain.ts';

/** Whose schema it is. */
export interface SchemaPlace {
  readonly target: string;
  readonly tool: string;
  readonly schema: 'inputSchema' | 'outputSchema';
}

export type GeneratedLater =
  | Extract<ToolCases, { ok: true }>
  /** `cost`: it could not be worked with, which is no matter of what it says. */
  | { readonly ok: false; readonly why: string; readonly cost: boolean };

export type CompiledLater =
  | { readonly ok: true; readonly validate: ValidateLater }
  | { readonly ok: false; readonly why: string; readonly cost: boolean };

export interface Deadlines {
  readonly compileMs: number;
  readonly validateMs: number;
  /** For three hundred inputs; more take in proportion. */
  readonly generateMs: number;
}

const DEADLINES: Deadlines = { compileMs: 5_000, validateMs: 3_000, generateMs: 15_000 };
/** Starting is not the schema's work. */
const START_MS = 30_000;
const MOST_MEGABYTES = 512;
/** A server that lists so many schemas of this kind means it. */
const MOST_LATE = 8;
/** In the bundle there is one file, which is both. */
export const THREAD_NAME = 'mcp-parity schemas';

interface Waiting {
  readonly resolve: (reply: Reply) => void;
  readonly timer: NodeJS.Timeout;
}

export class SchemaWork {
  readonly #deadlines: Deadlines;
  readonly #waiting = new Map<number, Waiting>();
  /** Schemas that a new thread has to know again. */
  readonly #known = new Map<string, unknown>();
  /** Tools whose inputs could not be made in time, with why. */
  readonly #tooCostly = new Map<string, string>();
  readonly #onCostly: (place: SchemaPlace, why: string) => void;
  #thread: Worker | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #id = 0;
  #late = 0;

  /** @param onCostly Told once of a schema that is given up after it was compiled. */
  constructor(onCostly: (place: SchemaPlace, why: string) => void, deadlines: Deadlines = DEADLINES) {
    this.#onCostly = onCostly;
    this.#deadlines = deadlines;
  }

  async compile(place: SchemaPlace, schema: unknown): Promise<CompiledLater> {
    if (isPlain(schema)) {
      const compiled = compileSchema(schema);
      return compiled.ok ? compiled : { ...compiled, cost: false };
    }
    const key = JSON.stringify(place);
    try {
      const made = await this.#ask({ task: 'compile', key, schema }, this.#deadlines.compileMs);
      if (!made.ok) return { ...made, cost: false };
      this.#known.set(key, schema);
      return { ok: true, validate: (value) => this.#validate(place, key, value) };
    } catch (thrown) {
      return { ok: false, why: messageOf(thrown), cost: true };
    }
  }

  /** A few inputs to learn from; none where its schema cannot be worked with, which `generate` then says at once. */
  async probe(tool: JsonObject, { resources }: Surface, draw: Draw, round: number): Promise<readonly Json[]> {
    const name = textOf(tool['name']);
    if (this.#tooCostly.has(name)) return [];
    try {
      return await this.#ask({ task: 'probe', tool, surface: { resources }, draw, round }, this.#deadlines.generateMs);
    } catch (thrown) {
      this.#tooCostly.set(name, messageOf(thrown));
      return [];
    }
  }

  async generate(tool: JsonObject, surface: Surface, draw: Draw): Promise<GeneratedLater> {
    const known = this.#tooCostly.get(textOf(tool['name']));
    if (known !== undefined) return { ok: false, why: known, cost: true };
    const deadline = this.#deadlines.generateMs * Math.max(1, draw.count / 300);
    try {
      // The rest of the listing is large and says nothing of what a tool takes.
      const slim = { ...surface, tools: [], prompts: [], resourceTemplates: [] };
      const made = await this.#ask({ task: 'generate', tool, surface: slim, draw }, deadline);
      return made.ok ? made : { ...made, cost: false };
    } catch (thrown) {
      return { ok: false, why: messageOf(thrown), cost: true };
    }
  }

  async close(): Promise<void> {
    await this.#thread?.terminate();
    this.#thread = undefined;
  }

  async #validate(place: SchemaPlace, key: string, value: Json): Promise<string | undefined> {
    if (!this.#known.has(key)) return undefined;
    try {
      return await this.#ask({ task: 'validate', key, value }, this.#deadlines.validateMs);
    } catch (thrown) {
      // Nobody knows whether the value fits, so nothing is said of it and the schema is not asked again.
      if (this.#known.delete(key)) this.#onCostly(place, messageOf(thrown));
      return undefined;
    }
  }

  /** One task after the other, so that the deadline is that of one task. */
  #ask<Kind extends Task['task']>(
    task: Extract<Task, { readonly task: Kind }>,
    deadlineMs: number,
  ): Promise<Results[Kind]> {
    const mine = this.#turn.then(() => this.#run(task, deadlineMs));
    this.#turn = mine.catch(() => undefined);
    return mine as Promise<Results[Kind]>;
  }

  async #run(task: Task, deadlineMs: number): Promise<Results[keyof Results]> {
    if (this.#late >= MOST_LATE) throw new Error(`working on ${MOST_LATE} schemas took too long, so no more are tried`);
    this.#thread ??= await this.#start();
    const reply = await this.#send(this.#thread, task, deadlineMs);
    if ('threw' in reply) throw new Error(reply.threw);
    return reply.result;
  }

  /** A new thread knows nothing, so it is told of the schemas again before the task that it is started for. */
  async #start(): Promise<Worker> {
    const thread = new Worker(threadFile(), {
      name: THREAD_NAME,
      workerData: THREAD_NAME,
      resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES },
      // Flags that are for the whole process are refused by a thread.
      execArgv: ['--no-warnings'],
    });
    thread.unref();
    thread.on('message', (reply: Reply) => {
      const waiting = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      clearTimeout(waiting?.timer);
      waiting?.resolve(reply);
    });
    const end = (why: string): void => {
      if (this.#thread === thread) this.#thread = undefined;
      for (const [id, { resolve, timer }] of this.#waiting) {
        clearTimeout(timer);
        resolve({ id, threw: why });
      }
      this.#waiting.clear();
    };
    thread.on('error', (error: NodeJS.ErrnoException) =>
      end(
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? `working on its schema took more than ${MOST_MEGABYTES} MB`
          : error.message,
      ),
    );
    thread.on('exit', () => end('the work on its schema ended'));
    const started = await new Promise<Reply>((resolve) => {
      const timer = setTimeout(() => resolve({ id: READY, threw: 'the thread for schemas did not start' }), START_MS);
      this.#waiting.set(READY, { resolve, timer });
    });
    if ('threw' in started) throw new Error(started.threw);
    for (const [key, schema] of this.#known)
      await this.#send(thread, { task: 'compile', key, schema }, this.#deadlines.compileMs);
    return thread;
  }

  async #send(thread: Worker, task: Task, deadlineMs: number): Promise<Reply> {
    const id = (this.#id += 1);
    const late = new Error(`working on its schema took longer than ${deadlineMs / 1000} s`);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#late += 1;
        this.#waiting.delete(id);
        this.#thread = undefined;
        void thread.terminate().then(() => reject(late));
      }, deadlineMs);
      this.#waiting.set(id, { resolve, timer });
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      thread.postMessage({ id, task } satisfies Question);
    });
  }
}

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** Beside this file in the project; in the package everything is one file, which starts as the thread when it is one. */
function threadFile(): URL {
  const source = new URL('./thread.ts', import.meta.url);
  return existsSync(source) ? source : new URL(import.meta.url);
}
