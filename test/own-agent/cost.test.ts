/** What a call writes: most of what an object's call costs is its rows that are written. */
import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, it } from 'vitest';
import { objectOfSubject } from '../../src/hosted/objects.ts';
import { HOSTED, openOwn, textOf } from './clients.ts';

/** Rows and values that an object has written since, its alarms among them. */
async function writesOf(name: string): Promise<() => number> {
  const objects = (env as unknown as { MCP_OBJECT: DurableObjectNamespace }).MCP_OBJECT;
  return runInDurableObject(objects.getByName(name), (_agent, { storage }) => {
    const { sql, kv } = storage;
    const cursors: { readonly rowsWritten: number }[] = [];
    let values = 0;
    const exec = sql.exec.bind(sql);
    sql.exec = ((...given: Parameters<typeof exec>) => {
      const cursor = exec(...given);
      cursors.push(cursor);
      return cursor;
    }) as typeof sql.exec;
    const counted = (owner: object, methods: readonly string[]): void => {
      const calls = owner as Record<string, (...given: unknown[]) => unknown>;
      for (const method of methods) {
        const call = calls[method]?.bind(owner);
        calls[method] = (...given) => {
          values += 1;
          return call?.(...given);
        };
      }
    };
    counted(kv, ['put', 'delete']);
    counted(storage, ['put', 'delete', 'setAlarm', 'deleteAlarm']);
    return () => values + cursors.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0);
  });
}

describe('a call that no session carries', () => {
  it.for(['modern', 'legacy'] as const)(
    'writes what its tool writes, and nothing else: %s',
    async (name, { expect }) => {
      const user = crypto.randomUUID();
      const lane = await openOwn(name, HOSTED, { user });
      await textOf(lane, 'increment');
      const writes = await writesOf(
        lane.sessionId === undefined ? await objectOfSubject(user) : `streamable-http:${lane.sessionId}`,
      );
      expect(await textOf(lane, 'add', { a: 1, b: 2 })).toBe('3');
      expect(writes()).toBe(0);
      expect(await textOf(lane, 'increment')).toBe('2 in 2 rows');
      // The state, and a row of the tool's own.
      expect(writes()).toBe(3);
    },
  );
});
