/** A class with state, rows and a schedule, the same tools as a catalogue has them, and the mapping between the two. */
import { McpAgent } from 'agents/mcp';
import { createHybrid } from 'hybrid-mcp';
import { createCatalogue, defineState, defineStatefulTool, reply } from 'hybrid-mcp/define';
import { agentLane } from 'hybrid-mcp/legacy';
import { carries, type ClassData } from 'hybrid-mcp/port';
import { z } from 'zod';
import { makeServer, register, type OwnProps, type OwnState } from './own-server.ts';

const counts = defineState({
  name: 'counts',
  schema: z.object({ value: z.int(), log: z.array(z.int()) }),
  initial: { value: 0, log: [] },
});
/** Of which the class knows nothing. */
const notes = defineState({ name: 'notes', schema: z.object({ texts: z.array(z.string()) }), initial: { texts: [] } });

export class KeepingMCP extends McpAgent<Cloudflare.Env, OwnState, OwnProps> {
  server = makeServer();
  override initialState = { counter: 0 };
  runs = 0;
  refused = '';

  override async init(): Promise<void> {
    register(this);
    this.server.tool('slowly', 'Reads, waits, and writes', async () => {
      const { counter } = this.state;
      await new Promise((resolve) => setTimeout(resolve, 150));
      this.setState({ counter: counter + 1 });
      return { content: [{ type: 'text', text: String(counter + 1) }] };
    });
    this.server.tool('afterwards', 'Writes when it has been answered', async () => {
      setTimeout(() => {
        try {
          this.setState({ counter: -5 });
        } catch (cause) {
          this.refused = String(cause);
        }
      }, 100);
      return { content: [{ type: 'text', text: 'later' }] };
    });
    this.server.tool('schedule', async () => {
      await this.schedule(0, 'onTime');
      return { content: [{ type: 'text', text: 'scheduled' }] };
    });
  }

  async onTime(): Promise<void> {
    this.setState({ counter: this.state.counter + 100 });
  }
}

/** Fails on the way out below zero, and on the way back from 9,000 on. */
export const carry = carries({
  states: { counts, notes },
  out: ({ state, sql }: ClassData<OwnState>) => {
    if (state.counter < 0) throw new RangeError('there is no such count');
    void sql`create table if not exists log (n integer)`;
    const log = sql<{ n: number }>`select n from log order by rowid`.map(({ n }) => n);
    return { counts: { value: state.counter, log }, notes: undefined };
  },
  back: ({ counts: { value, log } }, { sql }) => {
    void sql`create table if not exists log (n integer)`;
    void sql`delete from log`;
    for (const n of log) void sql`insert into log values (${n})`;
    if (value >= 9000) throw new RangeError('the class cannot count as far');
    return { counter: value };
  },
});

const hints = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };

const catalogue = createCatalogue({
  info: { name: 'carried', title: 'Carried', version: '2.0.0' },
  instructions: 'For tests.',
  tools: [
    defineStatefulTool({
      name: 'increment',
      title: 'Increment',
      description: 'Counts',
      input: z.object({ by: z.number().default(1) }),
      annotations: hints,
      state: counts,
      reduce: ({ value, log }, { by }) => {
        const next = { value: value + by, log: [...log, value + by] };
        return { state: next, reply: reply.text(`${next.value} in ${next.log.length} rows`) };
      },
    }),
    defineStatefulTool({
      name: 'note',
      title: 'Note',
      description: 'Notes',
      input: z.object({ text: z.string() }),
      annotations: hints,
      state: notes,
      reduce: (before, { text }) => {
        const texts = [...before.texts, text];
        return { state: { texts }, reply: reply.text(texts.join(' ')) };
      },
    }),
  ],
});

export const carried = createHybrid({
  catalogue,
  legacy: agentLane(KeepingMCP, { carry }),
  // Without an operator's object: what it remembers is another server's in this Worker.
  bindings: { legacy: 'CARRIED_OBJECT', state: 'CARRIED_STATE', operator: 'CARRIED_OPERATOR' },
  paths: {
    legacy: '/carried',
    sse: '/carried-sse',
    mcp: '/carried-next',
    landing: '/carried-page',
    health: '/carried-health',
    admin: '/carried-admin',
  },
  subject: 'userId',
});
