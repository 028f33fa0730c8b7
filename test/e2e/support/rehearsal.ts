/** The stage of a rehearsal: a local Worker with its storage, the fleet, the page's commands, and what must hold between them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExpectStatic } from 'vitest';
import { runWrangler } from '../../../cli/cutover/run-wrangler.ts';
import { startDevServer, type DevServer } from '../../../scripts/lib/dev-server.ts';
import { FleetClient, type Answered } from './fleet-client.ts';
import { Fleet } from './fleet.ts';
import { alarmsDue, daysPassFor } from './later.ts';
import { callsIn } from './ledger.ts';
import { Runbook } from './runbook.ts';

const TOKEN = 'the-token-of-the-rehearsal-which-is-long-enough';
const VARS = { ADMIN_TOKEN: TOKEN, LOG_LEVEL: 'error', DEPRECATION_AT: '2026-12-01', SUNSET_AT: '2027-03-31' };
const APP = 'hybrid-mcp';
/** Far more than the caches of flags and brake allow, for a machine that does other things too. */
const PATIENCE_MS = 60_000;
const POLL_MS = 200;
const START_TIMEOUT_MS = 120_000;

interface Report {
  readonly clients: Parameters<typeof callsIn>[0]['clients'];
  readonly openSessions: {
    readonly legacy: number;
    readonly sse: number;
    readonly drained: number;
    readonly compat: number;
  };
}

export class Rehearsal implements AsyncDisposable {
  readonly fleet: Fleet;
  readonly runbook: Runbook;
  readonly #store: string;
  readonly #expect: ExpectStatic;
  #sseLeft = false;
  #server: DevServer;

  private constructor(store: string, expect: ExpectStatic, runbook: Runbook, server: DevServer) {
    this.fleet = new Fleet(server.url);
    this.runbook = runbook;
    this.#store = store;
    this.#expect = expect;
    this.#server = server;
  }

  static async open(expect: ExpectStatic): Promise<Rehearsal> {
    const store = await mkdtemp(path.join(tmpdir(), 'hybrid-mcp-rehearsal-'));
    const [runbook, server] = await Promise.all([Runbook.read(), start(store)]);
    const made = await runbook.run('npm run flags -- init --url "$WORKER"', { url: server.url, token: TOKEN });
    expect(made).toMatchObject({ code: 0, error: '' });
    return new Rehearsal(store, expect, runbook, server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop();
    await rm(this.#store, { recursive: true, force: true, maxRetries: 3 });
  }

  /** Runs a command of the page while everybody counts, and gives what it printed. */
  async run(command: string, env: Record<string, string> = {}): Promise<string> {
    const { code, out, error } = await this.fleet.during(this.runbook.run(command, this.#target, env));
    this.#expect({ command, code, error, problems: this.fleet.problems }).toEqual({
      command,
      code: 0,
      error: '',
      problems: [],
    });
    return out;
  }

  /** The same for one that only looks: nobody needs to count. */
  async look(command: string): Promise<string> {
    const { code, out, error } = await this.runbook.run(command, this.#target);
    this.#expect({ command, code, error }).toEqual({ command, code: 0, error: '' });
    return out;
  }

  /** The same for one that is to say no. */
  async fails(command: string): Promise<string> {
    const { code, out, error } = await this.runbook.run(command, this.#target);
    this.#expect({ command, code }).toEqual({ command, code: 1 });
    return out + error;
  }

  /** Ways back that are not taken this time: each says what it would do. */
  async dryRuns(commands: readonly string[]): Promise<void> {
    const ran = commands.map((command) => this.runbook.run(command, this.#target, { DRY: '1' }));
    for (const { code, out } of await Promise.all(ran)) {
      this.#expect([code, out]).toEqual([0, this.#expect.stringContaining('Nothing was changed')]);
    }
  }

  /** What an operator may get wrong is refused with a word, and moves nobody. */
  async slips(slips: readonly (readonly [args: string, code: number, error: string])[]): Promise<void> {
    const target = this.#target;
    const ran = slips.map(([args]) =>
      this.runbook.slip(`npm run cutover -- ${args} --url "$WORKER" --why slip`, target),
    );
    const said = await Promise.all(ran);
    this.#expect(said.map(({ code, error }, at) => [slips[at]?.[0], code, error.split('\n')[0]])).toEqual(slips);
    const wrong = { ...target, token: 'not-the-token' };
    const { code, error } = await this.runbook.slip('npm run cutover -- brake --why slip --url "$WORKER"', wrong);
    this.#expect([code, error.split('\n')[0]]).toEqual([2, 'The Worker does not take this ADMIN_TOKEN.']);
    this.nobodyMoved();
  }

  async until(what: string, holds: () => Promise<boolean>): Promise<void> {
    for (const giveUpAt = Date.now() + PATIENCE_MS; !(await holds()); await delay(POLL_MS)) {
      if (Date.now() > giveUpAt) throw new Error(`Waited in vain for ${what}`);
    }
  }

  /** A call of somebody who sends no session id. */
  async peek(): Promise<Answered> {
    const identity = { name: 'peek', version: '1.0', era: '2025', userAgent: 'peek/1' } as const;
    const client = new FleetClient(this.fleet.ledger, identity, '/legacy/mcp');
    return client.send('tools/call', { name: 'getCounter', arguments: {} });
  }

  /** As the Worker sees it, which has one isolate here. */
  async isAt(route: string, stage: string): Promise<boolean> {
    return (await this.#seen(route)).stage === stage;
  }

  async #seen(route: string): Promise<{ readonly stage: string; readonly reason: string }> {
    const response = await fetch(`${this.#server.url}/admin/status`, { headers: { authorization: `Bearer ${TOKEN}` } });
    const { routes } = await response.json<{ routes: readonly { route: string; stage: string; reason: string }[] }>();
    const found = routes.find((row) => row.route === route);
    if (found === undefined) throw new Error(`The status names no route ${route}`);
    return found;
  }

  async get(route: string): Promise<Response> {
    const response = await fetch(`${this.#server.url}${route}`, { headers: { accept: 'text/event-stream' } });
    this.fleet.ledger.saw(undefined, route, response);
    await response.body?.cancel();
    return response;
  }

  /** Each client that has a session is served by the lane that began it. */
  nobodyMoved(): void {
    const moved = this.fleet.clients.filter(
      ({ identity, dropsSession, lane, began }) => identity.era === '2025' && !dropsSession && lane !== began,
    );
    this.#expect(moved.map(({ who }) => who)).toEqual([]);
  }

  /** The flag source goes wrong in every way: whoever begins anew is where they were. */
  async flagsBreak(inside: readonly FleetClient[], outside: readonly FleetClient[]): Promise<void> {
    const [probe] = inside;
    if (probe === undefined || outside.length === 0) throw new Error('Nobody to look at');
    const wrong = ['--variation', 'on=true', '--variation', 'off=false', '--default', 'off', '--type', 'boolean'];
    const ways = [['disable'], ['delete'], ['create', ...wrong]];
    for (const [at, breaking] of ways.entries()) {
      await (at === 0 ? this.fleet.during(this.#flagship(breaking)) : this.#flagship(breaking));
      await this.until(
        `the flag to be unreadable by ${breaking[0]}`,
        async () => (await probe.begin()).reason === 'flag_unreadable',
      );
      const begun = await this.fleet.beginAll([...inside, ...outside]);
      this.#expect(begun.map(({ lane, reason }) => `${lane} ${reason}`)).toEqual([
        ...inside.map(() => 'compat flag_unreadable'),
        ...outside.map(() => 'legacy flag_unreadable'),
      ]);
      if (breaking[0] !== 'delete') continue;
      // The stage of the whole route is read by itself, and again only when its last reading is five seconds old.
      await this.until('the whole route to be unreadable', async () => {
        return (await this.#seen('legacy')).reason === 'flag_unreadable';
      });
      const said = await this.look('npm run cutover -- status --url "$WORKER"');
      this.#expect(said).toMatch(
        /^\/legacy\/mcp: The flag legacy-route is .* \(since .* UTC at the latest\) Meanwhile the last good stage holds: legacy,/m,
      );
    }
    await this.#flagship(['delete']);
    await this.run('npm run flags -- init --url "$WORKER"');
    this.nobodyMoved();
    await this.run('npm run cutover -- ramp legacy stateless 25 --why "1 % was quiet for a day" --url "$WORKER"');
    await this.until('the flag to be back', async () => (await probe.begin()).reason === 'flag');
  }

  /** Clients of the old transport end, and go on at the other URL by handle. */
  async moveSse(): Promise<void> {
    const old = this.fleet.sse.splice(0);
    for (const { identity, handle, value } of old) {
      const client = new FleetClient(this.fleet.ledger, identity, '/mcp');
      this.fleet.clients.push(Object.assign(client, { handle, value }));
      await client.begin();
    }
    await Promise.all(old.map((client) => client.close()));
    this.#sseLeft = true;
  }

  /** Whoever is left is told where to go, in the protocol's words, and goes there; nobody else notices. */
  async gone(command: () => Promise<string>): Promise<void> {
    const { clients } = this.fleet;
    const left = clients.filter(({ path }) => path === '/legacy/mcp');
    clients.splice(0, clients.length, ...clients.filter(({ path }) => path === '/mcp'));
    this.#expect(left.length).toBeGreaterThan(10);
    await command();
    await this.until('410 on /legacy/mcp', async () => (await this.peek()).status === 410);
    const successor = `${this.#server.url}/mcp`;
    await this.fleet.each(left, async (client) => {
      const { status, headers, answer } = await client.send('tools/call', { name: 'getCounter', arguments: {} });
      this.#expect({ status, answer, link: headers.get('link'), type: headers.get('content-type') }).toEqual({
        status: 410,
        answer: {
          jsonrpc: '2.0',
          id: answer?.id,
          error: { code: -32_000, message: `Gone: this server has moved to ${successor}` },
        },
        link: `<${successor}>; rel="successor-version"`,
        type: this.#expect.stringContaining('application/json'),
      });
      client.path = '/mcp';
      // Under its old session id first, as a client that is not restarted; then as one that is.
      await client.count();
      this.#expect(client.lane).toBe('compat');
      await client.begin();
    });
    clients.push(...left);
  }

  /** Days in which nobody comes to the legacy half any more. */
  async timePasses(): Promise<void> {
    await this.#server.stop();
    this.#expect(await alarmsDue(this.#store, 2)).toBeGreaterThan(30);
    this.#expect(await daysPassFor(this.#store, 15)).toBe(4);
    this.#server = await start(this.#store);
    this.fleet.ledger.origin = this.#server.url;
  }

  /** Waits until the legacy sessions have ended by themselves, and gives what the command prints then. */
  async agrees(): Promise<string> {
    await this.until('the last session to end', async () => {
      const { openSessions } = await this.#census();
      return openSessions.legacy + openSessions.sse + openSessions.drained === 0;
    });
    return this.run('npm run cutover -- retire-check --url "$WORKER"');
  }

  /** Every request by client, route and lane, and every open session. */
  async censusEqualsLedger(standing: 'live' | 'drained' | 'ended'): Promise<void> {
    const { ledger } = this.fleet;
    await this.until('the census to know the last calls', async () => {
      const calls = [...callsIn(await this.#census()).values()].reduce((sum, some) => sum + some, 0);
      return calls >= ledger.requests;
    });
    const report = await this.#census();
    this.#expect(Object.fromEntries(callsIn(report))).toEqual(Object.fromEntries(ledger.calls));
    const legacy = ledger.sessions('legacy');
    const { sse, ...others } = report.openSessions;
    const sseBegun = ledger.sessions('legacy', true);
    this.#expect(others).toEqual({
      legacy: standing === 'live' ? legacy : 0,
      drained: standing === 'drained' ? legacy : 0,
      compat: ledger.sessions('compat'),
    });
    // Where a client has left, the Worker may notice it at any time from then on.
    if (standing === 'ended') this.#expect(sse).toBe(0);
    else if (this.#sseLeft) this.#expect(sse).toBeLessThanOrEqual(sseBegun);
    else this.#expect(sse).toBe(sseBegun);
  }

  async #census(): Promise<Report> {
    const response = await fetch(`${this.#server.url}/admin/census`, { headers: { authorization: `Bearer ${TOKEN}` } });
    return response.json<Report>();
  }

  async #flagship([verb, ...rest]: readonly string[]): Promise<void> {
    const args = ['flagship', 'flags', verb ?? '', APP, 'legacy-route', ...rest];
    const { code, complaint } = await runWrangler([...args, '--local', '--persist-to', this.#store]);
    this.#expect({ verb, code, complaint: code === 0 ? '' : complaint }).toEqual({ verb, code: 0, complaint: '' });
  }

  get #target() {
    return { url: this.#server.url, token: TOKEN };
  }
}

const start = (store: string): Promise<DevServer> =>
  startDevServer({ persistTo: store, vars: VARS, startTimeoutMs: START_TIMEOUT_MS });
