/**
 * What every target promises of its tools, compiled once, and where its answers break it or break the protocol. Keeps what
 * else a target does beside answering, for who reads the report.
 */
import type { AllowedDifferences } from '../../../src/parity/allowed.ts';
import type { EnvelopeFault } from '../../../src/parity/envelope.ts';
import type { Observation } from '../../../src/parity/observe.ts';
import {
  brokenPromises,
  isFault,
  promiseText,
  type Promises,
  type ValidateLater,
} from '../../../src/parity/own-listing.ts';
import type { Call } from '../../../src/parity/run-table.ts';
import { textOf, type Surface } from '../../../src/parity/surface/listing.ts';
import { groupOf } from '../cases/case.ts';
import type { SchemaWork } from '../schemas/schema-work.ts';
import { excerpt, type Notice } from '../targets/wire.ts';
import type { Breaker } from './breaker.ts';
import type { ListingFinding } from './report.ts';

export class Listings {
  readonly #promises = new Map<string, Promises>();
  readonly #work: SchemaWork;
  readonly #found = new Map<string, { -readonly [Key in keyof ListingFinding]: ListingFinding[Key] }>();

  constructor(work: SchemaWork) {
    this.#work = work;
  }

  /** Compiles the schemas of a target; one that is no schema is a harness error of that target's tool. */
  async add(target: string, { tools }: Surface, breaker: Breaker): Promise<void> {
    for (const tool of tools) {
      const name = textOf(tool['name']);
      const promises: { input?: ValidateLater; output?: ValidateLater } = {};
      for (const [side, key] of [
        ['input', 'inputSchema'],
        ['output', 'outputSchema'],
      ] as const) {
        const schema = tool[key];
        if (schema === undefined && side === 'output') continue;
        const compiled = await this.#work.compile({ target, tool: name, schema: key }, schema);
        if (compiled.ok) promises[side] = compiled.validate;
        else {
          const reason = compiled.cost ? 'schema_work' : 'broken_listing';
          breaker.note({ target, where: `tool ${name}`, reason, cause: `${key}: ${compiled.why}` });
        }
      }
      this.#promises.set(keyOf(target, name), promises);
    }
  }

  of(target: string, tool: string): Promises | undefined {
    return this.#promises.get(keyOf(target, tool));
  }

  async check(target: string, call: Call, saw: Observation, allowed: AllowedDifferences): Promise<void> {
    if (call.method !== 'tools/call') return;
    const tool = textOf(call.params?.['name']);
    const promises = this.of(target, tool);
    if (promises === undefined) return;
    for (const broken of await brokenPromises(call.params?.['arguments'] ?? {}, saw, promises))
      this.#add(
        { target, tool, broken: broken.broken, text: promiseText(broken), example: call },
        isFault(broken),
        allowed,
      );
  }

  /** What the control's era requires of it; what a candidate lacks of its own is a difference of the call. */
  envelope(target: string, call: Call, faults: readonly EnvelopeFault[], allowed: AllowedDifferences): void {
    for (const { key, requires, found } of faults) {
      const has = found === undefined ? 'nothing' : excerpt(JSON.stringify(found), 80);
      const text = `answers without what its protocol version requires: ${key} is to be ${requires}, and there is ${has}`;
      this.#add({ target, tool: groupOf(call), broken: 'envelope', text, example: call }, true, allowed);
    }
  }

  notice(target: string, notice: Notice, allowed: AllowedDifferences): void {
    const tool = 'the server';
    switch (notice.notice) {
      case 'stray_output': {
        const text = `writes text that is no JSON-RPC between its messages: ${notice.text}`;
        return this.#add({ target, tool, broken: 'stray_output', text }, false, allowed);
      }
      case 'answered_twice': {
        const { method, params } = notice.request;
        const call: Call = { method, ...(params !== undefined && { params }) };
        const text = 'answers one request twice';
        return this.#add({ target, tool: groupOf(call), broken: 'answered_twice', text, example: call }, true, allowed);
      }
      case 'opened_again':
        return this.#add(
          { target, tool, broken: 'opened_again', text: `had to be opened again: ${notice.why}` },
          false,
          allowed,
        );
      case 'told_to_wait': {
        const text = `asked to be left alone for a while, and was: ${notice.why}`;
        return this.#add({ target, tool, broken: 'told_to_wait', text }, false, allowed);
      }
    }
  }

  #add(
    found: Omit<ListingFinding, 'count' | 'fails' | 'allowed'>,
    isFault: boolean,
    allowed: AllowedDifferences,
  ): void {
    const { target, tool, broken } = found;
    const key = `${keyOf(target, tool)}\n${broken}`;
    const known = this.#found.get(key);
    if (known !== undefined) {
      known.count += 1;
      return;
    }
    const row = allowed.explain(tool, target, { path: `listing.${broken}`, control: undefined, candidate: undefined });
    this.#found.set(key, {
      ...found,
      count: 1,
      fails: isFault && row === undefined,
      ...(row !== undefined && { allowed: row.id }),
    });
  }

  found(): readonly ListingFinding[] {
    return [...this.#found.values()];
  }
}

const keyOf = (target: string, tool: string): string => `${target}\n${tool}`;
