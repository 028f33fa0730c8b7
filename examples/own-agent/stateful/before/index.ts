/** A server that keeps state and rows, asks its user, says how far it is, and does something later. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpAgent } from 'agents/mcp';
import { z } from 'zod';

interface State {
  counter: number;
  reminders: string[];
}

export class MyMCP extends McpAgent<Cloudflare.Env, State, { login?: string }> {
  server = new McpServer({ name: 'Notebook', version: '0.3.0' }, { capabilities: { logging: {} } });
  override initialState: State = { counter: 0, reminders: [] };

  async init() {
    this.sql`CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL)`;

    this.server.tool('increment', 'Counts', { by: z.number().int().default(1) }, async ({ by }) => {
      this.setState({ ...this.state, counter: this.state.counter + by });
      return { content: [{ type: 'text', text: `The counter is ${this.state.counter}` }] };
    });

    this.server.tool('addNote', { text: z.string().min(1) }, async ({ text }) => {
      this.sql`INSERT INTO notes (text) VALUES (${text})`;
      const [row] = this.sql<{ count: number }>`SELECT COUNT(*) AS count FROM notes`;
      return { content: [{ type: 'text', text: `There are ${row?.count ?? 0} notes` }] };
    });

    this.server.tool('importNotes', { texts: z.array(z.string()).max(20) }, async ({ texts }, extra) => {
      const progressToken = extra._meta?.progressToken;
      for (const [index, text] of texts.entries()) {
        this.sql`INSERT INTO notes (text) VALUES (${text})`;
        if (progressToken === undefined) continue;
        await extra.sendNotification({
          method: 'notifications/progress',
          params: { progressToken, progress: index + 1, total: texts.length },
        });
      }
      return { content: [{ type: 'text', text: `Imported ${texts.length}` }] };
    });

    this.server.tool('clear', 'Deletes all notes, if you say so', async () => {
      const answer = await this.server.server.elicitInput({
        message: 'Delete all notes?',
        requestedSchema: { type: 'object', properties: { sure: { type: 'boolean' } }, required: ['sure'] },
      });
      if (answer.action !== 'accept' || answer.content?.['sure'] !== true) {
        return { content: [{ type: 'text', text: 'Nothing was deleted' }] };
      }
      this.sql`DELETE FROM notes`;
      return { content: [{ type: 'text', text: 'All notes are gone' }] };
    });

    this.server.tool(
      'remind',
      { text: z.string(), inSeconds: z.number().int().min(0) },
      async ({ text, inSeconds }) => {
        await this.schedule(inSeconds, 'onReminder', text);
        return { content: [{ type: 'text', text: 'I will' }] };
      },
    );

    this.server.tool('reminders', async () => ({
      content: [{ type: 'text', text: JSON.stringify(this.state.reminders) }],
    }));
  }

  async onReminder(text: string) {
    this.setState({ ...this.state, reminders: [...this.state.reminders, text] });
  }
}

const mcp = MyMCP.serve('/mcp');

export default {
  async fetch(request: Request, env: Env, ctx: ExecutionContext) {
    if (new URL(request.url).pathname === '/healthz') return new Response('ok');
    // Stands for a sign-in, if there is one.
    const login = request.headers.get('authorization')?.match(/^Bearer (\w+)$/)?.[1];
    if (login) Object.assign(ctx, { props: { login } });
    return mcp.fetch(request, env, ctx);
  },
};
