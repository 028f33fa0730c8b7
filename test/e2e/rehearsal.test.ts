/**
 * The runbook, rehearsed: its own commands, in its order, against a real local Worker, with a fleet of clients that count
 * before, during and after each step. Nobody may see an error or lose a count, and at the end the census must have in its
 * books what the fleet has in its own. `npm run prove:rehearsal` has more than twice the clients,
 * and breaks the flags in every way.
 */
import process from 'node:process';
import { describe, it } from 'vitest';
import { Rehearsal } from './support/rehearsal.ts';
import { COMPARED } from './support/runbook.ts';

/** Not run here: they need an account, change the project, run for long, or set what the rehearsal sets itself. */
const NOT_REHEARSED = [
  'npm test',
  ...COMPARED,
  'npm run conformance',
  'export MCP_PARITY_KEY="$(openssl rand -hex 32)"',
  'npx wrangler flagship apps create hybrid-mcp',
  'npx wrangler secret put ADMIN_TOKEN',
  'npm run deploy',
  'export WORKER=https://hybrid-mcp.example.workers.dev',
  'read -rs ADMIN_TOKEN && export ADMIN_TOKEN',
  'npx wrangler deployments status',
  'node scripts/check-migrations.ts && npm test',
  'npx wrangler deploy',
  'npx wrangler flagship flags delete hybrid-mcp legacy-route legacy-sse-route',
];

/** Ways back that are not taken: what they do is taken elsewhere, or would be an error for somebody. */
const WAYS_BACK = [
  'npm run cutover -- ramp legacy stateless 0 --why "too many errors" --url "$WORKER"',
  'npm run cutover -- set legacy legacy --why "back to before" --url "$WORKER"',
  'npm run cutover -- census forget --once --dry-run --url "$WORKER"',
  'npm run cutover -- set sse legacy --why "one was left" --url "$WORKER"',
  'npm run cutover -- set legacy stateless --why "somebody important was left" --url "$WORKER"',
];

/** How many clients each squad has: the whole, and the share of it in `npm test`. */
const ALL = process.env['REHEARSAL'] === 'all';
const sized = (all: number, share: number): number => (ALL ? all : share);
/** Ways back that are tried without a change. */
const TRIED = sized(WAYS_BACK.length, 2);

const firstOf = <Item>([item]: readonly Item[]): Item => {
  if (item === undefined) throw new Error('There is none');
  return item;
};

describe('the runbook', () => {
  it('moves a whole fleet, and nobody notices', { timeout: 600_000 }, async ({ expect }) => {
    const startedAt = Date.now();
    await using stage = await Rehearsal.open(expect);
    const { fleet, runbook } = stage;
    const { ledger } = fleet;
    const cutover = (line: string, env?: Record<string, string>): Promise<string> =>
      stage.run(`npm run cutover -- ${line} --url "$WORKER"`, env);

    const look = (line: string): Promise<string> => stage.look(`npm run cutover -- ${line} --url "$WORKER"`);

    // 1 Before you start
    const crew = fleet.join({ name: 'desktop', era: '2025', path: '/legacy/mcp', size: sized(36, 12) });
    // Step 3 begins meanwhile: it is about somebody else.
    const ahead = cutover('set legacy stateless --client canary --why "our own client first" --unseen');
    const desktop = await crew;
    const editor = await fleet.join({ name: 'editor', era: '2025', path: '/legacy/mcp', size: sized(16, 6) });
    const robot = await fleet.join({ name: 'robot', era: '2025', path: '/legacy/mcp', size: sized(12, 6) });
    const forgetful = await fleet.join({ name: 'forgetful', era: '2025', path: '/legacy/mcp', size: sized(10, 4) });
    const stale = await fleet.join({ name: 'stale', era: '2025', path: '/legacy/mcp', size: sized(6, 4) });
    const web = await fleet.join({ name: 'web', era: '2025', path: '/mcp', size: sized(16, 6) });
    await fleet.join({ name: 'agent', era: '2026', path: '/mcp', size: sized(16, 6) });
    await fleet.joinSse('old-desktop', 3);
    await ahead;
    const droppers = web.slice(0, web.length / 2);
    for (const client of [...editor, ...droppers]) client.byHandle = true;
    for (const client of droppers) client.dropsSession = true;
    const [refused, status, census] = await Promise.all([
      stage.fails('npm run cutover -- retire-check --url "$WORKER"'),
      look('status'),
      look('census'),
    ]);
    expect(status).toMatch(/legacy +\/legacy\/mcp +legacy +flag/);
    expect(census).toMatch(/old-desktop\/1\.0 .* blocked by get_stream/);
    expect(refused).toContain(`NO  legacy sessions: ${sized(80, 32)} open, 3 open over SSE, 0 drained, 0 not tracked`);
    await stage.censusEqualsLedger('live');

    // 2 Tell clients
    const { headers } = await firstOf(desktop).count();
    expect(headers.get('deprecation')).toBe('@1796083200');
    expect(headers.get('sunset')).toBe('Wed, 31 Mar 2027 00:00:00 GMT');
    expect(headers.get('link')).toBe(`<${ledger.origin}/mcp>; rel="successor-version"`);

    // 3 One client first
    const canary = await fleet.join({ name: 'canary', era: '2025', path: '/legacy/mcp', size: 1 });
    expect(canary.map(({ began }) => began)).toEqual(['compat']);
    await cutover('unset legacy --client canary --why "the ramp takes over"');

    await stage.slips([
      ['set legacy sideways', 2, 'The route legacy has no stage "sideways".'],
      ['ramp legacy stateless 101', 2, '"101" is no percentage.'],
      ['set legacy stateless --client nobody', 1, 'The census has never seen client nobody.'],
      ['drain --client nobody', 1, 'The census has no client "nobody".'],
    ]);

    // 4 Ramp
    await cutover('ramp legacy stateless 1 --why "first clients"');
    await fleet.join({ name: 'early', era: '2025', path: '/legacy/mcp', size: sized(10, 6) });
    await cutover('ramp legacy stateless 25 --why "1 % was quiet for a day"');
    const people = await fleet.join({ name: 'person', era: '2025', path: '/legacy/mcp', size: sized(60, 32) });
    const inAt25 = people.filter(({ began }) => began === 'compat');
    // Within four deviations of 60 or 32 draws at 25 %; the user agents are the same each time, and so is the draw.
    expect(inAt25.length).toBeGreaterThanOrEqual(sized(2, 1));
    expect(inAt25.length).toBeLessThanOrEqual(sized(28, 17));
    stage.nobodyMoved();
    if (ALL) {
      const outside = people.filter(({ began }) => began === 'legacy');
      await stage.flagsBreak(inAt25.slice(0, 3), outside.slice(0, 3));
    }
    await cutover('ramp legacy stateless 50 --why "25 % was quiet for a day"');
    await stage.until('a larger share', async () => {
      await fleet.beginAll(people);
      return people.filter(({ began }) => began === 'compat').length > inAt25.length;
    });
    expect(inAt25.filter(({ began }) => began !== 'compat')).toEqual([]);
    const inAt50 = people.filter(({ began }) => began === 'compat').length;
    expect(inAt50).toBeGreaterThanOrEqual(sized(15, 5));
    expect(inAt50).toBeLessThanOrEqual(sized(45, 27));

    // If something goes wrong
    await cutover('brake --why "errors on the compat lane"');
    const brakedAt = Date.now();
    await stage.until('the brake', async () => (await firstOf(inAt25).begin()).reason === 'brake');
    const brakeMs = Date.now() - brakedAt;
    expect((await fleet.beginAll(inAt25)).map(({ lane, reason }) => `${lane} ${reason}`)).toEqual(
      inAt25.map(() => 'legacy brake'),
    );
    await cutover('release --why "fixed"');
    expect(await look('audit')).toMatch(/brake .*errors on the compat lane/);
    await stage.until('the release', async () => (await firstOf(inAt25).begin()).lane === 'compat');

    // 5 Everybody
    await cutover('set legacy stateless --why "50 % was quiet for a day"');
    await stage.until('calls without a session', async () => (await stage.peek()).status === 200);
    stage.nobodyMoved();
    for (const client of forgetful) Object.assign(client, { dropsSession: true, byHandle: true });
    for (const client of stale) {
      await client.end();
      // The state has gone with the session; what the client begins to count now has a handle.
      Object.assign(client, { value: 0, handle: undefined, byHandle: true });
    }
    await fleet.everybody();
    expect(fleet.problems).toEqual([]);
    expect([...forgetful, ...stale].map(({ lane }) => lane)).toEqual([...forgetful, ...stale].map(() => 'compat'));

    // 6 Drain
    await stage.run('printf %s "$SESSION" | npm run cutover -- drain --session --why "try one" --url "$WORKER"', {
      SESSION: firstOf(desktop).session ?? '',
    });
    expect(await fleet.lanesOf([firstOf(desktop)])).toEqual(['compat']);
    await cutover('drain --client desktop --why "first cohort"');
    expect(await fleet.lanesOf(desktop)).toEqual(['compat']);
    expect(await fleet.lanesOf(robot)).toEqual(['legacy']);
    await cutover('take-back --client desktop --why "a tool misbehaves"');
    expect(await fleet.lanesOf(desktop)).toEqual(['legacy']);
    await cutover('drain --all --why "the rest"');
    expect(await fleet.lanesOf(fleet.clients)).not.toContain('legacy');
    await stage.censusEqualsLedger('drained');

    // 7 Move the URLs
    expect(await stage.fails('npm run cutover -- set sse gone --why "nobody left on SSE" --url "$WORKER"')).toContain(
      '3 sessions are open, and each of their calls would be answered 410 at once.',
    );
    for (const client of [...desktop, ...editor, ...people, ...canary]) client.path = '/mcp';
    await fleet.beginAll([...desktop, ...editor, ...people, ...canary]);
    await stage.moveSse();

    // 8 The old transport
    // The Worker may not have noticed yet that their streams have ended.
    await cutover('set sse gone --why "nobody left on SSE" --even-if-open');
    await stage.until('the stage of /legacy/sse', () => stage.isAt('sse', 'gone'));
    expect((await stage.get('/legacy/sse')).status).toBe(410);

    // 9 Gone
    await stage.gone(() => cutover('set legacy gone --why "the sunset date"'));

    // 10 Retire
    const [stillOpen] = await Promise.all([
      stage.fails('npm run cutover -- retire-check --url "$WORKER"'),
      stage.dryRuns(WAYS_BACK.slice(0, TRIED)),
    ]);
    expect(stillOpen.match(/^NO +.*?(?=:| at )/gm)).toEqual([
      'NO  legacy sessions',
      'NO  the last call on the legacy lane came',
      'NO  1 clients are blocked',
    ]);
    await stage.censusEqualsLedger('drained');
    expect(await look('census forget --once --why "scanners"')).toMatch(/^0 clients with 0 calls were forgotten/);
    await stage.timePasses();
    await fleet.everybody();
    const steps = await stage.agrees();
    for (const line of ['tag = "v3"', 'deleted_classes = ["LegacyAgent"]', ...NOT_REHEARSED.slice(-4)]) {
      expect(steps).toContain(line);
    }
    await stage.censusEqualsLedger('ended');

    expect(fleet.problems).toEqual([]);
    const left = [...NOT_REHEARSED, ...WAYS_BACK.slice(TRIED)];
    expect(runbook.left.filter((command) => !left.includes(command))).toEqual([]);
    expect(left.filter((command) => !runbook.commands.includes(command))).toEqual([]);
    const summary = { clients: fleet.clients.length, sessions: ledger.opened, requests: ledger.requests };
    const numbers = { increments: ledger.increments, inAt25: inAt25.length, inAt50, brakeMs };
    console.log(JSON.stringify({ rehearsal: summary, ...numbers, seconds: (Date.now() - startedAt) / 1000 }));
    expect(summary.sessions).toBeGreaterThanOrEqual(sized(200, 90));
  });
});
