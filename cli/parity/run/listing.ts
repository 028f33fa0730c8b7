/** What every target promises of its tools, compiled once, and where its answers break it. */
import type { AllowedDifferences } from '../../../src/parity/allowed.ts';
import type { Observation } from '../../../src/parity/observe.ts';
import { brokenPromises, isFault, promiseText, type Promises } from '../../../src/parity/own-listing.ts';
import type { Call } from '../../../src/parity/run-table.ts';
import { textOf, type Surface } from '../../../src/parity/surface/listing.ts';
import { compileSchema } from '../validate.ts';
import type { Breaker } from './breaker.ts';
import type { ListingFinding } from './report.ts';

export class Listings {
  readonly #promises = new Map<string, Promises>();
  readonly #found = new Map<string, { -readonly [Key in keyof ListingFinding]: ListingFinding[Key] }>();

  /** Compiles the schemas of a target; one that is no schema is a harness error of that target. */
  add(target: string, { tools }: Surface, breaker: Breaker): void {
    for (const tool of tools) {
      const promises: { -readonly [Key in keyof Promises]: Promises[Key] } = {};
      for (const [side, key] of [
        ['input', 'inputSchema'],
        ['output', 'outputSchema'],
      ] as const) {
        const schema = tool[key];
        if (schema === undefined && side === 'output') continue;
        const compiled = compileSchema(schema);
        if (compiled.ok) promises[side] = compiled.validate;
        else
          breaker.note({
            target,
            where: `tool ${textOf(tool['name'])}`,
            reason: 'broken_listing',
            cause: `${key}: ${compiled.why}`,
          });
      }
      this.#promises.set(keyOf(target, textOf(tool['name'])), promises);
    }
  }

  of(target: string, tool: string): Promises | undefined {
    return this.#promises.get(keyOf(target, tool));
  }

  check(target: string, call: Call, saw: Observation, allowed: AllowedDifferences): void {
    if (call.method !== 'tools/call') return;
    const tool = textOf(call.params?.['name']);
    const promises = this.of(target, tool);
    if (promises === undefined) return;
    for (const broken of brokenPromises(call.params?.['arguments'] ?? {}, saw, promises)) {
      const key = `${keyOf(target, tool)}\n${broken.broken}`;
      const known = this.#found.get(key);
      if (known !== undefined) known.count += 1;
      else {
        const path = `listing.${broken.broken}`;
        const row = allowed.explain(tool, target, { path, control: undefined, candidate: undefined });
        const fails = isFault(broken) && row === undefined;
        const text = promiseText(broken);
        this.#found.set(key, {
          target,
          tool,
          broken: broken.broken,
          text,
          count: 1,
          example: call,
          fails,
          ...(row !== undefined && { allowed: row.id }),
        });
      }
    }
  }

  found(): readonly ListingFinding[] {
    return [...this.#found.values()];
  }
}

const keyOf = (target: string, tool: string): string => `${target}\n${tool}`;
