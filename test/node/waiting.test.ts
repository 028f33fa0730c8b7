/** A tool that waits, in the owner of its state: steps of concurrent calls, and what is refused, without any lane. */
import { describe, it } from 'vitest';
import { z } from 'zod';
import { NOBODY } from '../../src/shared/caller.ts';
import { createCatalogue, type Catalogue } from '../../src/shared/catalogue/catalogue.ts';
import { reply } from '../../src/shared/define/reply.ts';
import { defineState } from '../../src/shared/define/state.ts';
import { defineStatefulTool, type StateSteps } from '../../src/shared/define/tool.ts';
import type { ToolContext } from '../../src/shared/define/context.ts';
import type { LiveCall, StateOutcome } from '../../src/shared/pipeline/ports.ts';
import type { Report } from '../../src/shared/pipeline/report.ts';
import { NO_SERVICES } from '../../src/shared/pipeline/services.ts';
import { StateHolder } from '../../src/shared/state/holder.ts';
import type { Holding } from '../../src/shared/state/ownership.ts';
import { callTool } from '../../src/shared/pipeline/call-tool.ts';
import { fakePorts, stillWorld } from '../support/ports.ts';
import { refusal, statefulTool } from '../support/valid-definition.ts';

const schema = z.object({ value: z.number().int(), text: z.string().default('') });
type Value = z.infer<typeof schema>;
type Run = (ctx: ToolContext, state: StateSteps<Value>) => unknown;

/** Runs tools over one state in memory, as an object does. */
class Owner {
  holding: Holding = { epoch: 1, owner: true, states: {} };
  saves = 0;
  readonly reports: Report[] = [];
  readonly over = Promise.withResolvers<void>();

  catalogueOf(run: Run): Catalogue {
    const counter = defineState({ name: 'counter', schema, initial: { value: 0, text: '' } });
    const tool = defineStatefulTool({
      name: 'work',
      title: 'Work',
      description: 'Works.',
      input: z.object({ n: z.number().default(1) }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
      state: counter,
      run: async (_input, ctx, state) => (await run(ctx, state)) as ReturnType<typeof reply.text>,
    });
    return createCatalogue({ info: { name: 'x', title: 'X', version: '1' }, instructions: 'X.', tools: [tool] });
  }

  open(run: Run): StateHolder {
    return new StateHolder({
      catalogue: this.catalogueOf(run),
      world: stillWorld(),
      report: (what) => void this.reports.push(what),
      services: NO_SERVICES,
      callerOf: () => NOBODY,
      env: {},
      load: () => this.holding,
      save: (next) => {
        this.saves += 1;
        this.holding = next;
      },
    });
  }

  async run(run: Run, live: Partial<LiveCall> = {}): Promise<StateOutcome | undefined> {
    return this.open(run).apply(
      { tool: 'work', args: '{}', handle: 'h' },
      {
        limitMs: 10_000,
        client: undefined,
        ask: { kind: 'none', otherwiseAt: '/legacy/mcp' },
        over: () => this.over.promise,
        log: () => Promise.resolve(),
        ...live,
      },
    );
  }

  get value(): unknown {
    return this.holding.states?.['counter']?.value;
  }
}

const steps: { inner?: StateSteps<Value> } = {};
const more = ({ value, text }: Value): Value => ({ value: value + 1, text });
const unavailable = { ok: false, fault: { fault: 'state_unavailable', tool: 'work' } };
/** What the operator was told, in words. */
const toldTo = ({ reports }: Owner): unknown[] => reports.map(({ fault, cause }) => [fault, (cause as Error).message]);

describe('a tool that waits', () => {
  it('loses no update of another call between its reading and its writing', async ({ expect }) => {
    const owner = new Owner();
    const seen: number[] = [];
    const gate = Promise.withResolvers<void>();
    const work = Array.from({ length: 3 }, () =>
      owner.run(async (_ctx, state) => {
        seen.push(state.read().value);
        await gate.promise;
        return reply.text(String(state.update(more).value));
      }),
    );
    await Promise.resolve();
    gate.resolve();
    const outcomes = await Promise.all(work);
    expect(seen).toEqual([0, 0, 0]);
    expect(outcomes).toEqual(['1', '2', '3'].map((text) => ({ ok: true, handle: 'h', reply: reply.text(text) })));
    expect(owner.value).toEqual({ value: 3, text: '' });
  });

  it('keeps what it has updated when it fails, also by an error reply', async ({ expect }) => {
    const owner = new Owner();
    const failed = await owner.run((_ctx, state) => {
      state.update(more);
      throw new RangeError('secret');
    });
    expect(failed).toEqual({ ok: false, fault: { fault: 'tool_failed', tool: 'work' } });
    expect(toldTo(owner)).toEqual([['tool_failed', 'secret']]);
    await owner.run((_ctx, state) => {
      state.update(more);
      return reply.error('No.');
    });
    expect(owner.value).toEqual({ value: 2, text: '' });
  });

  it('stores nothing for a step that changes nothing, and reads a copy', async ({ expect }) => {
    const owner = new Owner();
    const outcome = await owner.run((_ctx, state) => {
      state.read().value = 7;
      state.update((same) => same);
      return reply.text(String(state.read().value));
    });
    expect([outcome, owner.saves]).toEqual([{ ok: true, handle: 'h', reply: reply.text('0') }, 0]);
  });

  it('that has lost its state can neither read nor update, and the operator is told', async ({ expect }) => {
    for (const step of [(state: StateSteps<Value>) => state.read(), (state: StateSteps<Value>) => state.update(more)]) {
      const owner = new Owner();
      const outcome = await owner.run(async (_ctx, state) => {
        state.update(more);
        await Promise.resolve();
        owner.open(() => undefined).release({ offer: 2, has: false });
        step(state);
        return reply.text('done');
      });
      expect(outcome).toEqual(unavailable);
      expect([owner.value, owner.saves]).toEqual([{ value: 1, text: '' }, 2]);
      expect(toldTo(owner)).toEqual([
        ['state_unavailable', 'The tool "work" used its state when the state had moved to another lane'],
      ]);
    }
  });

  it('updates the newest state when the state has left and come back meanwhile', async ({ expect }) => {
    const owner = new Owner();
    await owner.run(async (_ctx, state) => {
      await Promise.resolve();
      owner.holding = { epoch: 3, owner: true, states: { counter: { v: 1, value: { value: 40, text: '' } } } };
      state.update(more);
      return reply.text('done');
    });
    expect(owner.holding).toEqual({
      epoch: 3,
      owner: true,
      states: { counter: { v: 1, value: { value: 41, text: '' } } },
    });
  });

  it.for(['deadline', 'cancelled', 'returned'] as const)(
    'cannot update after its call has ended: %s',
    async (how, { expect }) => {
      const owner = new Owner();
      const gate = Promise.withResolvers<void>();
      const after = Promise.withResolvers<unknown>();
      const outcome = owner.run(
        (_ctx, state) => {
          const work = gate.promise.then(() => {
            try {
              after.resolve(state.update(more));
            } catch (error) {
              after.resolve((error as Error).message);
            }
            return reply.text('late');
          });
          return how === 'returned' ? reply.text('early') : work;
        },
        { limitMs: how === 'deadline' ? 5 : 10_000 },
      );
      if (how === 'cancelled') owner.over.resolve();
      const wanted = {
        deadline: { ok: false, fault: { fault: 'deadline_exceeded', tool: 'work', limitMs: 5 } },
        cancelled: { ok: false, fault: { fault: 'cancelled', tool: 'work' } },
        returned: { ok: true, handle: 'h', reply: reply.text('early') },
      };
      expect(await outcome).toEqual(wanted[how]);
      gate.resolve();
      expect(await after.promise).toBe('state_unavailable');
      expect([owner.value, owner.saves]).toEqual([undefined, 0]);
      expect(toldTo(owner)).toEqual([['state_unavailable', 'The tool "work" used its state when its call was over']]);
    },
  );

  it('that meets its deadline has ended where its state is before its client hears of it', async ({ expect }) => {
    const owner = new Owner();
    const events: string[] = [];
    const holder = owner.open(() => new Promise(() => undefined));
    const catalogue = owner.catalogueOf(() => reply.text(''));
    const tool = catalogue.tools.get('work');
    const outcome = await callTool(
      { ...(tool as NonNullable<typeof tool>), deadlineMs: 5 },
      {},
      {
        ...fakePorts(catalogue),
        state: {
          // As one that is far away: its own clock begins later.
          apply: async (call, live) => {
            await new Promise((resolve) => setTimeout(resolve, 15));
            const applied = await holder.apply({ tool: call.tool, args: '{}', handle: 'h' }, live);
            events.push('ended');
            return applied as StateOutcome;
          },
        },
      },
      catalogue.limits,
    );
    events.push('answered');
    expect(outcome).toMatchObject({ fault: 'deadline_exceeded', result: { isError: true } });
    expect(JSON.stringify(outcome)).toContain('did not finish within 5 ms.');
    expect(events).toEqual(['ended', 'answered']);
  });

  it('whose caller is gone is cancelled', async ({ expect }) => {
    const owner = new Owner();
    const outcome = owner.run(() => new Promise(() => undefined));
    owner.over.reject(new Error('gone'));
    expect(await outcome).toEqual({ ok: false, fault: { fault: 'cancelled', tool: 'work' } });
  });

  it.for<[string, (value: Value) => unknown, object, string]>([
    ['a promise', async (value) => value, { fault: 'invalid_result', tool: 'work' }, 'the step gave a promise'],
    [
      'what the schema refuses',
      () => ({ value: 'x' }),
      { fault: 'invalid_result', tool: 'work' },
      'the step gave a state that its schema refuses',
    ],
    [
      'what a step within it has changed',
      () => steps.inner?.update(more),
      { fault: 'invalid_result', tool: 'work' },
      'a step touched the state within another',
    ],
    [
      'too much',
      () => ({ value: 1, text: 'y'.repeat(900_000) }),
      { fault: 'state_too_large', tool: 'work', limitBytes: 900_000 },
      '',
    ],
  ])('whose step gives %s fails, and the state stays', async ([, step, fault, cause], { expect }) => {
    const owner = new Owner();
    const outcome = await owner.run((_ctx, state) => {
      steps.inner = state;
      return reply.text(String(state.update(step as (value: Value) => Value)));
    });
    expect([outcome, owner.saves]).toEqual([{ ok: false, fault }, 0]);
    expect(owner.reports.map((one) => (one.cause as Error).message)).toEqual(cause === '' ? [] : [cause]);
  });

  it('may not ask after it has changed its state', async ({ expect }) => {
    const owner = new Owner();
    const ask = { kind: 'rounds', client: new Set(['elicitation'] as const), answers: new Map() } as const;
    const question = { message: 'Sure?', schema: z.object({ sure: z.boolean() }) };
    const outcome = await owner.run(
      async (ctx, state) => {
        state.update(more);
        await ctx.ask('sure', question);
        return reply.text('asked');
      },
      { ask },
    );
    expect(outcome).toEqual({ ok: false, fault: { fault: 'tool_failed', tool: 'work' } });
    expect(toldTo(owner)).toEqual([
      ['tool_failed', 'The tool "work" asked "sure" after it had changed its state: ask first'],
    ]);
    const asked = await owner.run(async (ctx) => ctx.ask('sure', question), { ask });
    expect(asked).toMatchObject({ ok: 'asked', questions: [{ key: 'sure', method: 'elicitation/create' }] });
  });

  it('gives what JSON can carry, or fails', async ({ expect }) => {
    const owner = new Owner();
    expect(await owner.run(() => 'text')).toEqual({ ok: false, fault: { fault: 'invalid_result', tool: 'work' } });
    expect(toldTo(owner)).toEqual([['invalid_result', 'The tool "work" gave a reply that JSON cannot carry']]);
  });

  it('is busy while it waits', async ({ expect }) => {
    const gate = Promise.withResolvers<void>();
    const holder = new Owner().open(async () => {
      await gate.promise;
      return reply.text('done');
    });
    const live = { limitMs: 1000, over: () => gate.promise, log: async () => undefined };
    const work = holder.apply(
      { tool: 'work', args: '{}', handle: 'h' },
      { ...live, client: undefined, ask: { kind: 'none', otherwiseAt: '/x' } },
    );
    expect(holder.isBusy).toBe(true);
    gate.resolve();
    await work;
    expect(holder.isBusy).toBe(false);
  });
});

describe('definitions of tools that wait', () => {
  const change = { reduce: undefined, run: () => reply.text('done') };
  it('have either a reducer or code that runs', ({ expect }) => {
    expect(refusal({ tools: [statefulTool(change)] })).toBe(
      'The tool "count" has the key "reduce", which no lane serves the same way. Remove it. Known keys: kind, name, title, description, input, output, annotations, icons, _meta, visible, scopes, enabled, deadlineMs, state, run.',
    );
  });
});
