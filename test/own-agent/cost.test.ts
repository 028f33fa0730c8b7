/** What a call reads and writes of its object's storage, as docs/bench/usage.json has it. */
import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, it } from 'vitest';
import { objectOfSubject } from '../../src/hosted/objects.ts';
import { HOSTED, openOwn, textOf } from './clients.ts';

interface Use {
  readonly read: number;
  readonly written: number;
}

/** Rows and values that an object has read and written since, its alarms among them. */
async function useOf(name: string): Promise<() => Use> {
  const objects = (env as unknown as { MCP_OBJECT: DurableObjectNamespace }).MCP_OBJECT;
  return runInDurableObject(objects.getByName(name), (_agent, { storage }) => {
    const { sql, kv } = storage;
    const cursors: { readonly rowsRead: number; readonly rowsWritten: number }[] = [];
    const values = { read: 0, written: 0 };
    const exec = sql.exec.bind(sql);
    sql.exec = ((...given: Parameters<typeof exec>) => {
      const cursor = exec(...given);
      cursors.push(cursor);
      return cursor;
    }) as typeof sql.exec;
    const counted = (owner: object, as: keyof Use, methods: readonly string[]): void => {
      const calls = owner as Record<string, (...given: unknown[]) => unknown>;
      for (const method of methods) {
        const call = calls[method]?.bind(owner);
        calls[method] = (...given) => {
          values[as] += 1;
          return call?.(...given);
        };
      }
    };
    counted(kv, 'read', ['get', 'list']);
    counted(storage, 'read', ['get', 'list']);
    counted(kv, 'written', ['put', 'delete']);
    counted(storage, 'written', ['put', 'delete', 'setAlarm', 'deleteAlarm']);
    return () => ({
      read: values.read + cursors.reduce((sum, { rowsRead }) => sum + rowsRead, 0),
      written: values.written + cursors.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0),
    });
  });
}

describe('a call that no session carries', () => {
  it.for([
    ['modern', 0],
    // Whether the session is there, and whose it is.
    ['legacy', 2],
  ] as const)(
    'writes what its tool writes and nothing else, and reads what names its session: %s',
    async ([name, read], { expect }) => {
      const user = crypto.randomUUID();
      const lane = await openOwn(name, HOSTED, { user });
      await textOf(lane, 'increment');
      const use = await useOf(
        lane.sessionId === undefined ? await objectOfSubject(user) : `streamable-http:${lane.sessionId}`,
      );
      expect(await textOf(lane, 'add', { a: 1, b: 2 })).toBe('3');
      expect(use()).toEqual({ read, written: 0 });
      expect(await textOf(lane, 'increment')).toBe('2 in 2 rows');
      // The state, and a row of the tool's own.
      expect(use().written).toBe(3);
    },
  );
});
