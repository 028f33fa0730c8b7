/** Clients that sign in: a store of credentials that both SDKs take as their OAuth provider, and the user's browser. */
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
  type OAuthDiscoveryState,
} from '@modelcontextprotocol/client';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js';

const INFO = { name: 'e2e', version: '1.2.3' } as const;
const CALLBACK = 'http://127.0.0.1:9/callback';

/** What a client keeps between its runs. */
export class Credentials implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadata: OAuthClientMetadata = {
    client_name: 'e2e',
    redirect_uris: [CALLBACK],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
  };
  /** How often the user was asked to sign in. */
  readonly asked: URL[] = [];
  held: OAuthTokens | undefined;
  #client: OAuthClientInformationMixed | undefined;
  #verifier = '';
  #discovery: OAuthDiscoveryState | undefined;

  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.#client;
  }
  saveClientInformation(client: OAuthClientInformationMixed): void {
    this.#client = client;
  }
  tokens(): OAuthTokens | undefined {
    return this.held;
  }
  saveTokens(tokens: OAuthTokens): void {
    this.held = tokens;
  }
  redirectToAuthorization(url: URL): void {
    this.asked.push(url);
  }
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  codeVerifier(): string {
    return this.#verifier;
  }
  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state;
  }
  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }
  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    if (scope === 'all' || scope === 'tokens') this.held = undefined;
    if (scope === 'all' || scope === 'client') this.#client = undefined;
    if (scope === 'all' || scope === 'discovery') this.#discovery = undefined;
  }
}

/** A user at the pages of a sign-in: cookies, redirects, the consent form. */
export class Browser {
  readonly #cookies = new Map<string, string>();

  /** One request, without following where it leads. */
  async visit(url: string | URL, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(init.headers as Record<string, string>), ...(cookie !== '' && { cookie }) };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0/i.test(line)) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  }

  /** Up to the identity provider's page: the consent is given. */
  async consent(url: URL, scopes?: readonly string[]): Promise<URL> {
    const page = await (await this.visit(url)).text();
    const handle = /name="handle" value="([^"]*)"/.exec(page)?.[1];
    if (handle === undefined) throw new Error(`There is no consent page at ${url.pathname}: ${page.slice(0, 300)}`);
    const offered = [...page.matchAll(/name="scope" value="([^"]*)"/g)].map(([, scope = '']) => scope);
    const body = new URLSearchParams({ handle, decision: 'approve' });
    for (const scope of scopes ?? offered) body.append('scope', scope);
    const approved = await this.visit(url, { method: 'POST', body });
    return new URL(locationOf(approved), url);
  }

  /** The whole sign-in; what the client's own callback is called with. */
  async signIn(url: URL, login = 'ann', scopes?: readonly string[]): Promise<URLSearchParams> {
    const identity = await this.consent(url, scopes);
    identity.searchParams.set('login', login);
    const callback = locationOf(await this.visit(identity));
    const back = new URL(locationOf(await this.visit(callback)));
    return back.searchParams;
  }
}

export function locationOf(response: Response): string {
  const location = response.headers.get('location');
  if (location === null) throw new Error(`Status ${response.status} at ${response.url} leads nowhere`);
  return location;
}

/** The part of both SDKs' clients that is used here. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}

export type Kind = 'v1' | 'v1 over SSE' | 'v2' | 'v2, 2025';

interface Attempt {
  readonly client: AnyClient;
  /** The lanes that have answered. */
  readonly lanes: Set<string>;
  readonly connect: () => Promise<void>;
  readonly finish: (callback: URLSearchParams) => Promise<void>;
}

function attempt(kind: Kind, at: string, authProvider: Credentials): Attempt {
  const url = new URL(at);
  const lanes = new Set<string>();
  const send = async (input: string | URL, init?: RequestInit): Promise<Response> => {
    const response = await fetch(input, init);
    const lane = /lane;desc="(\w+)"/.exec(response.headers.get('server-timing') ?? '')?.[1];
    if (lane !== undefined) lanes.add(lane);
    return response;
  };
  if (kind === 'v1' || kind === 'v1 over SSE') {
    const client = new ClientV1(INFO);
    const transport =
      kind === 'v1'
        ? new TransportV1(url, { authProvider, fetch: send })
        : new SSEClientTransport(url, { authProvider, fetch: send });
    return {
      client,
      lanes,
      connect: () => client.connect(transport),
      finish: (callback) => transport.finishAuth(callback.get('code') ?? ''),
    };
  }
  const mode = kind === 'v2' ? { pin: '2026-07-28' as const } : 'legacy';
  const client = new ClientV2(INFO, { versionNegotiation: { mode } });
  const transport = new TransportV2(url, { authProvider, fetch: send });
  return {
    client,
    lanes,
    connect: () => client.connect(transport),
    finish: (callback) => transport.finishAuth(callback),
  };
}

export interface SignedIn extends AsyncDisposable {
  readonly client: AnyClient;
  /** How often the user had to sign in for this connection. */
  readonly signIns: number;
  /** The lanes that have answered so far. */
  readonly lanes: () => readonly string[];
  /** What the user's browser brings back, for a sign-in that the server has asked for since. */
  readonly finish: (callback: URLSearchParams) => Promise<void>;
}

/** The URL that a client sends its user to when it connects for the first time. */
export async function askedToSignIn(kind: Kind, at: string, credentials: Credentials): Promise<URL> {
  const { client, connect } = attempt(kind, at, credentials);
  try {
    await connect();
  } catch (cause) {
    const url = credentials.asked.at(-1);
    if (url === undefined) throw cause;
    return url;
  } finally {
    await client.close();
  }
  throw new Error('The server asks for no sign-in');
}

/** Connects, with a sign-in if the server asks for one. */
export async function connectSignedIn(
  kind: Kind,
  at: string,
  credentials: Credentials,
  login?: string,
): Promise<SignedIn> {
  const before = credentials.asked.length;
  const first = attempt(kind, at, credentials);
  try {
    await first.connect();
    return connected(first, credentials.asked.length - before);
  } catch (cause) {
    const url = credentials.asked.at(-1);
    if (url === undefined || credentials.asked.length === before) throw cause;
    await first.finish(await new Browser().signIn(url, login));
    await first.client.close();
  }
  const second = attempt(kind, at, credentials);
  await second.connect();
  return connected(second, credentials.asked.length - before);
}

const connected = ({ client, lanes, finish }: Attempt, signIns: number): SignedIn => ({
  client,
  finish,
  signIns,
  lanes: () => [...lanes],
  [Symbol.asyncDispose]: () => client.close(),
});
