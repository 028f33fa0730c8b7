/** Stored state over time: versions and their migration, limits, and faults that leave it as it was. */
import { describe, it } from 'vitest';
import { z } from 'zod';
import { createCatalogue, type Catalogue } from '../../src/shared/catalogue/catalogue.ts';
import { reply } from '../../src/shared/define/reply.ts';
import { defineState, type StateDefinition } from '../../src/shared/define/state.ts';
import { defineStatefulTool } from '../../src/shared/define/tool.ts';
import { NOBODY } from '../../src/shared/caller.ts';
import { NO_SERVICES } from '../../src/shared/pipeline/services.ts';
import { StateHolder } from '../../src/shared/state/holder.ts';
import type { Holding, StoredState } from '../../src/shared/state/ownership.ts';
import { idleMs, nextAlarm } from '../../src/state/times.ts';
import { stillWorld } from '../support/ports.ts';

const annotations = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
const schema = z.object({ names: z.array(z.string()) });

/** A catalogue with one tool, `add`, on a state of two fields by now; version 1 had one name only. */
function withState(state: Partial<StateDefinition<typeof schema>>): Catalogue {
  const names = defineState({ name: 'names', schema, initial: { names: [] }, ...state });
  return createCatalogue({
    info: { name: 'state', title: 'State', version: '1.0.0' },
    instructions: 'State.',
    tools: [
      defineStatefulTool({
        name: 'add',
        title: 'Add',
        description: 'Adds a name.',
        input: z.object({ name: z.string() }),
        annotations,
        state: names,
        reduce: ({ names: before }, { name }) => ({
          state: { names: [...before, name] },
          reply: reply.text(String(before.length + 1)),
        }),
      }),
    ],
  });
}

function add(
  catalogue: Catalogue,
  stored: StoredState | undefined,
  name = 'b',
  others: Record<string, StoredState> = {},
) {
  let holding: Holding = {
    epoch: 1,
    owner: true,
    states: { ...others, ...(stored !== undefined && { names: stored }) },
  };
  const holder = new StateHolder({
    catalogue,
    world: stillWorld(),
    report: () => undefined,
    services: NO_SERVICES,
    callerOf: () => NOBODY,
    env: {},
    load: () => holding,
    save: (next) => (holding = next),
  });
  const outcome = holder.apply({ tool: 'add', args: JSON.stringify({ name }), handle: 'h' });
  return { outcome, stored: holding.states?.['names'] };
}

const migrate = (stored: unknown): unknown => ({ names: [(stored as { name: string }).name] });
const ONE: StoredState = { v: 1, value: { name: 'a' } };
const unreadable = (cause: string) => ({ ok: false, fault: { fault: 'state_unreadable', tool: 'add' }, cause });

describe('stored state', () => {
  it('is migrated from the version that wrote it, and stored as the new one', ({ expect }) => {
    expect(add(withState({ version: 2, migrate }), ONE)).toMatchObject({
      outcome: { ok: true },
      stored: { v: 2, value: { names: ['a', 'b'] } },
    });
  });

  it('of another version without a migration is a fault, and stays as it is', ({ expect }) => {
    expect(add(withState({ version: 2 }), ONE)).toEqual({
      outcome: unreadable('"names" cannot migrate from version 1'),
      stored: ONE,
    });
  });

  it('of a later version, after a rollback, is a fault, and stays as it is', ({ expect }) => {
    const later: StoredState = { v: 3, value: {} };
    expect(add(withState({ version: 2, migrate }), later)).toEqual({
      outcome: unreadable('version 3 of "names" is newer than 2'),
      stored: later,
    });
  });

  it('whose migration throws is a fault, and stays as it is', ({ expect }) => {
    const fails = (): never => {
      throw new RangeError('no');
    };
    expect(add(withState({ version: 2, migrate: fails }), ONE)).toEqual({
      outcome: unreadable('RangeError: no'),
      stored: ONE,
    });
  });

  it('that its schema refuses is a fault, and stays as it is', ({ expect }) => {
    expect(add(withState({}), ONE)).toEqual({
      outcome: unreadable('names: Invalid input: expected array, received undefined'),
      stored: ONE,
    });
  });

  it('is limited over all its kinds together', ({ expect }) => {
    const other = { other: { v: 1, value: 'y'.repeat(899_000) } };
    const stored: StoredState = { v: 1, value: { names: [] } };
    expect(add(withState({}), stored, 'b'.repeat(100), other).outcome).toMatchObject({ ok: true });
    expect(add(withState({}), stored, 'b'.repeat(2_000), other)).toEqual({
      outcome: { ok: false, fault: { fault: 'state_too_large', tool: 'add', limitBytes: 900_000 } },
      stored,
    });
  });

  it('is counted in bytes, not in characters', ({ expect }) => {
    const stored: StoredState = { v: 1, value: { names: [] } };
    expect(add(withState({}), stored, '€'.repeat(299_000)).outcome).toMatchObject({ ok: true });
    expect(add(withState({}), stored, '€'.repeat(301_000)).outcome).toMatchObject({
      ok: false,
      fault: { fault: 'state_too_large' },
    });
  });
});

describe('the removal alarm', () => {
  it('is set a tenth beyond the idle time, and moved only when less than that time is left', ({ expect }) => {
    expect(nextAlarm(0, null, 1_000)).toBe(1_100);
    expect(nextAlarm(100, 1_100, 1_000)).toBeUndefined();
    expect(nextAlarm(101, 1_100, 1_000)).toBe(1_201);
  });

  it('has a day unless the variable says otherwise, and a bad variable is named', ({ expect }) => {
    expect(idleMs({})).toBe(86_400_000);
    expect(idleMs({ SESSION_IDLE_MS: '5000' })).toBe(5_000);
    expect(() => idleMs({ SESSION_IDLE_MS: 'soon' })).toThrow(
      'The variable SESSION_IDLE_MS must be a whole number of milliseconds, at least 100.',
    );
  });
});
