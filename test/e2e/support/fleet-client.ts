/**
 * A simulated client that counts: each call adds one, and the answer must be one more than the last. It speaks raw HTTP, so
 * that what it sends is what it says. It is told to drop its session id, to go on by handle, to begin anew or to use
 * another URL; what it never does by itself is to begin a new session.
 */
import { ENVELOPE, headerText, readReply, type Reply } from '../../support/wire.ts';
import type { Identity, Ledger, Lane } from './ledger.ts';

export type Path = '/legacy/mcp' | '/mcp';

export interface Answered extends Reply {
  readonly lane: Lane;
  readonly reason: string;
}

const LEGACY_ERA = '2025-11-25';
const MODERN_ERA = '2026-07-28';
const ACCEPT = 'application/json, text/event-stream';

export class FleetClient {
  readonly identity: Identity;
  path: Path;
  session: string | undefined;
  /** The lane that began the session. */
  began: Lane = 'none';
  /** The lane that counted last. */
  lane: Lane = 'none';
  handle: string | undefined;
  /** True to name the state in each call; a client of the newer era has no other way. */
  byHandle: boolean;
  /** True to send no session id, as some clients do. */
  dropsSession = false;
  /** What the counter stands at, as far as it was acknowledged. */
  value = 0;
  readonly #ledger: Ledger;
  #id = 0;

  constructor(ledger: Ledger, identity: Identity, path: Path) {
    this.#ledger = ledger;
    this.identity = identity;
    this.path = path;
    this.byHandle = identity.era === '2026';
  }

  /** Begins a session, as a client that was started anyhow. What was counted goes on by handle. */
  async begin(): Promise<Answered> {
    this.session = undefined;
    const { name, version, era } = this.identity;
    if (era === '2026') throw new TypeError('A client of the newer era has no session');
    this.byHandle = this.handle !== undefined;
    const clientInfo = { name, version };
    const answered = await this.send('initialize', { protocolVersion: LEGACY_ERA, capabilities: {}, clientInfo });
    const session = answered.headers.get('mcp-session-id') ?? undefined;
    if (answered.answer?.result === undefined || session === undefined)
      throw new Error(`${this.who}: ${told(answered)}`);
    this.session = session;
    this.began = answered.lane;
    this.#ledger.began(this.identity, answered.lane, session);
    await this.#post({ method: 'notifications/initialized' });
    return answered;
  }

  /** Adds one. @throws where the answer is anything but one more than the last. */
  async count(): Promise<Answered> {
    const named = this.byHandle && this.handle !== undefined ? { handle: this.handle } : {};
    const answered = await this.send('tools/call', { name: 'incrementCounter', arguments: { ...named } });
    const counted = answered.answer?.result?.['structuredContent'] as { value: number; handle: string } | undefined;
    if (counted?.value !== this.value + 1) {
      throw new Error(`${this.who}: expected ${this.value + 1}, not ${told(answered)}`);
    }
    this.value = counted.value;
    this.handle = counted.handle;
    this.lane = answered.lane;
    this.#ledger.counted();
    return answered;
  }

  send(method: string, params: Record<string, unknown>): Promise<Answered> {
    return this.#post({ id: (this.#id += 1), method, params });
  }

  /** Ends its session, as a client that is closed properly. */
  async end(): Promise<void> {
    const response = await fetch(`${this.#ledger.origin}${this.path}`, { method: 'DELETE', headers: this.#headers() });
    await this.#read(response, {}, undefined);
    if (this.session !== undefined) this.#ledger.ended(this.session);
  }

  /** For whoever reads what went wrong. */
  get who(): string {
    return `${this.identity.userAgent} (${this.identity.era}, ${this.path}, began ${this.began})`;
  }

  async #post(message: { id?: number; method: string; params?: Record<string, unknown> }): Promise<Answered> {
    const { name, version, era } = this.identity;
    const envelope = {
      [ENVELOPE.version]: MODERN_ERA,
      [ENVELOPE.client]: { name, version },
      [ENVELOPE.capabilities]: {},
    };
    const params = { ...message.params, ...(era === '2026' && { _meta: envelope }) };
    const response = await fetch(`${this.#ledger.origin}${this.path}`, {
      method: 'POST',
      headers: this.#headers(message),
      body: JSON.stringify({ jsonrpc: '2.0', ...message, params }),
    });
    return this.#read(response, message, message.id);
  }

  #headers(message?: { method: string; params?: Record<string, unknown> }): Record<string, string> {
    const { era, userAgent } = this.identity;
    const tool = message?.params?.['name'];
    return {
      'content-type': 'application/json',
      accept: ACCEPT,
      'user-agent': userAgent,
      ...(era === '2026' && { 'mcp-protocol-version': MODERN_ERA, 'mcp-method': message?.method ?? '' }),
      ...(era === '2026' && typeof tool === 'string' && { 'mcp-name': headerText(tool) }),
      ...(era === '2025' && message?.method !== 'initialize' && { 'mcp-protocol-version': LEGACY_ERA }),
      ...(this.session !== undefined && !this.dropsSession && { 'mcp-session-id': this.session }),
    };
  }

  async #read(response: Response, message: { method?: string }, id: number | undefined): Promise<Answered> {
    const reply = await readReply(response, id ?? null);
    const says = this.identity.era === '2026' || message.method === 'initialize';
    const inSession = response.ok && this.session !== undefined && !this.dropsSession;
    const seen = this.#ledger.saw(says || inSession ? this.identity.name : undefined, this.path, response);
    return { ...reply, ...seen };
  }
}

const told = ({ status, lane, reason, answer }: Answered): string =>
  `${status} by ${lane} (${reason}): ${JSON.stringify(answer)}`;
