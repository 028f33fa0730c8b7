/** A class of one's own as the legacy lane of a catalogue. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { agentLane } from 'hybrid-mcp/legacy';
import { McpAgent } from 'agents/mcp';
import { describe, it } from 'vitest';
import type { SessionAgentApi } from '../../src/state/transfer.ts';
import { openLane, type Lane, type LaneName } from '../support/wire.ts';
import { ORIGIN, textOf } from './clients.ts';
import worker from './worker.ts';

const PATHS = { legacy: '/classic', mcp: '/next' };

const open = (name: LaneName, user: string): Promise<Lane> =>
  openLane(name, {
    origin: ORIGIN,
    paths: PATHS,
    headers: { 'x-user': user },
    send: (request) => worker.fetch(request as Parameters<typeof worker.fetch>[0], env, createExecutionContext()),
  });

const agentIn = (sessionId: string | undefined) =>
  (env as unknown as { CLASSIC_OBJECT: DurableObjectNamespace }).CLASSIC_OBJECT.getByName(
    `streamable-http:${sessionId}`,
  ) as unknown as SessionAgentApi;

describe('a class as the legacy lane of a catalogue', () => {
  it('serves its sessions as before, and the catalogue everybody else', async ({ expect }) => {
    const user = crypto.randomUUID();
    const lanes = {
      legacy: await open('legacy', user),
      compat: await open('compat', user),
      modern: await open('modern', user),
    };
    const sums: Record<string, string> = {};
    for (const [name, lane] of Object.entries(lanes)) sums[name] = await textOf(lane, 'add', { a: 1, b: 2 });
    expect(sums).toEqual({ legacy: '3', compat: 'ported 3', modern: 'ported 3' });
    expect(await textOf(lanes.legacy, 'whoami')).toBe(`${user} -`);
  });

  it('keeps its state through a drain, in which no tool takes another for it, and back', async ({ expect }) => {
    const lane = await open('legacy', crypto.randomUUID());
    expect(await textOf(lane, 'increment')).toBe('1 in 1 rows');
    const agent = agentIn(lane.sessionId);
    expect(await agent.drain()).toBe(true);
    expect(await textOf(lane, 'add', { a: 1, b: 2 })).toBe('ported 3');
    expect(await textOf(lane, 'increment')).toBe(
      'The state of the tool "increment" cannot be reached now. Nothing is known to have changed; try again.',
    );
    expect(await agent.takeBack()).toBe(true);
    expect(await textOf(lane, 'increment')).toBe('2 in 2 rows');
    await lane.close();
    expect(await agent.standing()).toBe('gone');
  });

  it('shows a session to nobody but its subject', async ({ expect }) => {
    const lane = await open('legacy', crypto.randomUUID());
    const other = await open('legacy', crypto.randomUUID());
    const { status } = await lane.post(
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { 'mcp-session-id': other.sessionId ?? '' },
    );
    expect(status).toBe(404);
  });

  it('is refused if it is none of the agents package, or has a member of a name that is added', ({ expect }) => {
    class NoAgent {
      readonly name = 'none';
    }
    abstract class Taken extends McpAgent {
      async applyOrRelease(): Promise<void> {}
    }
    expect(() => agentLane(NoAgent as never)).toThrow(
      'agentLane() takes a class that extends McpAgent of "agents/mcp".',
    );
    expect(() => agentLane(Taken)).toThrow('The class "Taken" has members named "applyOrRelease"');
  });
});
