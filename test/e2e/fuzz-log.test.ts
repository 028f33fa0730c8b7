/** What a real server prints while clients hand it secrets everywhere, and how it limits a client. */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { startDevServer, type DevServer } from '../../scripts/lib/dev-server.ts';
import { LANE_NAMES, openLane, type Lane, type Message } from '../support/wire.ts';

/** Each place has its own, so that a leak tells where it comes from. */
const secretOf = (place: string): string => `hunter2-${place}-4f1c9`;

let server: DevServer;
beforeAll(async () => {
  server = await startDevServer({ config: 'test/fuzz/leaky.toml' });
});
afterAll(() => server.stop());

interface Line {
  readonly level: string;
  readonly [key: string]: unknown;
}

/** The log without what the local tool says about requests. */
const linesOf = (output: string): Line[] =>
  output
    .split('\n')
    .map((line) => line.replace(/^\s*(✘ \[ERROR\]|▲ \[WARNING\])\s*/, ''))
    .filter((line) => line.startsWith('{"level"'))
    .map((line) => JSON.parse(line) as Line);

const withHeaders =
  (headers: Record<string, string>) =>
  (request: Request): Promise<Response> => {
    const all = new Headers(request.headers);
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    return fetch(new Request(request, { headers: all }));
  };

async function tellSecrets(lane: Lane): Promise<string[]> {
  const call = (name: string, secret: string, more: Record<string, unknown> = {}) =>
    lane.request('tools/call', { name, arguments: { secret, ...more } });
  for (const name of ['throws', 'late', 'wrong', 'echo', secretOf('tool')])
    await call(name, secretOf(`argument-${lane.name}`));
  const kept = await call('keep', secretOf('state'));
  const handle = (kept.answer?.result?.['structuredContent'] as { handle: string } | undefined)?.handle ?? '';
  await call('keep', secretOf('state'), { handle });
  await call('keep', secretOf('state'), { handle: secretOf('handle') });
  await lane.request('prompts/get', { name: 'throws', arguments: { secret: secretOf('prompt') } });
  await lane.request('resources/read', { uri: `leaky://${secretOf('resource')}` });
  await lane.request(secretOf('method'), { secret: secretOf('params') });
  for (const body of [
    { jsonrpc: '2.0', id: secretOf('id'), result: { secret: secretOf('result') } },
    { jsonrpc: '2.0', id: secretOf('id'), error: { code: -1, message: secretOf('error') } },
    `{"jsonrpc":"2.0","${secretOf('key')}":1}`,
    `{"${secretOf('half')}`,
  ]) {
    await (await lane.post(body, { 'mcp-protocol-version': secretOf('version') })).body?.cancel();
    await (await lane.post(body)).body?.cancel();
  }
  return [handle, ...(lane.sessionId === undefined ? [] : [lane.sessionId])];
}

describe('the log of a real server', () => {
  it('has a line for each request, and no secret in any', async ({ expect }) => {
    const given: string[] = [];
    const send = withHeaders({
      authorization: `Bearer ${secretOf('token')}`,
      cookie: secretOf('cookie'),
      'x-agents-lifecycle-props': secretOf('props'),
      'last-event-id': secretOf('event'),
      'mcp-param-secret': secretOf('param'),
    });
    for (const name of LANE_NAMES) {
      const lane = await openLane(name, { origin: server.url, send });
      given.push(...(await tellSecrets(lane)));
      await lane.close();
    }
    await fetch(`${server.url}/${secretOf('path')}?${secretOf('query')}`);
    await fetch(`${server.url}/legacy/mcp?${secretOf('query')}`, {
      headers: { 'mcp-session-id': secretOf('session') },
    });
    // Late failures and the last lines.
    await new Promise((resolve) => setTimeout(resolve, 500));

    const output = server.output();
    const lines = linesOf(output);
    expect(given.filter((text) => text.length > 20).length).toBeGreaterThan(3);
    expect(lines.filter(({ level }) => level === 'info').length).toBeGreaterThan(60);
    expect(given.filter((text) => text !== '' && lines.some((line) => JSON.stringify(line).includes(text)))).toEqual(
      [],
    );
    // The tool that runs the server prints the path of a request; in all else there is nothing either.
    const printed = output.split('\n').filter((line) => !line.startsWith('[wrangler:info]'));
    expect(
      printed.filter((line) => line.includes('hunter2') || given.some((text) => text !== '' && line.includes(text))),
    ).toEqual([]);
  });

  it('says lane, reason, tool, verdict and status', async ({ expect }) => {
    const lines = linesOf(server.output());
    const saw = (tool: string | null, lane: string): unknown[] =>
      lines.filter((line) => line['tool'] === tool && line['lane'] === lane).map((line) => line['verdict']);
    for (const lane of LANE_NAMES) {
      expect(saw('throws', lane)).toEqual(['tool_failed']);
      expect(saw('late', lane)).toEqual(['deadline_exceeded']);
      expect(saw('wrong', lane)).toEqual(['invalid_result']);
      expect(saw('echo', lane)).toEqual(['ok']);
      expect(saw('keep', lane)).toContain('unknown_handle');
    }
    const refused = lines.find((line) => line['reason'] === 'not_found');
    expect(refused).toMatchObject({
      level: 'info',
      route: '-',
      lane: 'none',
      method: 'GET',
      tool: null,
      verdict: 'not_found',
      status: 404,
    });
    expect(refused?.['request']).toMatch(/^[0-9a-f-]{36}$/);
    expect(Number.isInteger(refused?.['ms'])).toBe(true);
    expect(lines.find((line) => line['fault'] === 'tool_failed')?.['error']).toMatchObject({ name: 'Error' });
  });

  it('does not count more of a client than it may ask', async ({ expect }) => {
    const statuses = new Set<string>();
    let refused: Response | undefined;
    // Twice the limit and more: the limiter may begin a new minute in between.
    for (let asked = 0; asked < 800 && refused === undefined; asked += 20) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => fetch(`${server.url}/mcp`, { method: 'POST', body: '{}' })),
      );
      for (const answer of answers) statuses.add(String(answer.status));
      refused = answers.find(({ status }) => status === 429);
    }
    expect([...statuses].toSorted()).toEqual(['415', '429']);
    expect([refused?.headers.get('retry-after'), refused?.headers.get('content-type')]).toEqual([
      '60',
      'application/json',
    ]);
    const body = (await refused?.json()) as Message | undefined;
    expect(body?.error).toEqual({ code: -32000, message: 'Too many requests: try again in 60 seconds' });
    // Probes and pages are not counted.
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });
});
