/** The least that a Worker can do for a call: it reads the body and answers constant JSON. */
const ANSWER = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'constant' }] } });

export default {
  async fetch(request) {
    await request.text();
    return new Response(ANSWER, { headers: { 'Content-Type': 'application/json' } });
  },
} satisfies ExportedHandler;
