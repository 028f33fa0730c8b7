/** The command against a real operator's API on a port of its own, with the flags in memory in place of wrangler's store. */
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { cutover, type Printed, type Surroundings } from '../../../cli/cutover/command.ts';
import type { RunWrangler } from '../../../cli/cutover/run-wrangler.ts';
import { createAdmin } from '../../../src/cutover/admin/admin.ts';
import type { EvaluatedStage } from '../../../src/cutover/admin/ports.ts';
import { ROUTE_SETTINGS, type RouteKey } from '../../../src/cutover/stage.ts';
import { adminWorld, NOW, TOKEN, type World } from './admin-support.ts';

export interface Flag {
  key: string;
  enabled: boolean;
  default_variation: string;
  variations: Record<string, string>;
  rules: { priority: number; [key: string]: unknown }[];
}

/** What a deployment calls by names of its own. */
export interface OwnNames {
  readonly flagKeys?: Partial<Record<RouteKey, string>>;
  readonly prefixes?: Readonly<Record<RouteKey, string>>;
  readonly names?: { readonly legacy?: string; readonly flags?: string };
}

/** Literals: the keys that a deployment has that names none. */
const FLAG_KEYS = { legacy: 'legacy-route', sse: 'legacy-sse-route', mcp: 'mcp-route' } as const;

export interface CliWorld extends World {
  readonly url: string;
  readonly flags: Map<string, Flag>;
  /** The arguments of wrangler, each time. */
  readonly ran: string[][];
  readonly run: RunWrangler;
  /** The command, with the address and the token of this Worker. */
  at(...args: string[]): Promise<Printed>;
  with(more: Partial<Surroundings>, ...args: string[]): Promise<Printed>;
  close(): Promise<void>;
}

export async function cliWorld(own: OwnNames = {}): Promise<CliWorld> {
  const keys = { ...FLAG_KEYS, ...own.flagKeys };
  const world = adminWorld({ ADMIN_TOKEN: TOKEN, FLAGS: {}, LOCAL_STORE: tmpdir() });
  world.census = { ...world.census, clients: [client('desktop')] };
  const flags = new Map<string, Flag>();
  const ran: string[][] = [];
  follow(world, flags, keys);
  let url = '';
  const admin = createAdmin({
    ...world.options,
    names: { ...world.options.names, ...own.names },
    settings: {
      ...ROUTE_SETTINGS,
      flagKeys: keys,
      ...(own.prefixes !== undefined && { variablePrefix: own.prefixes }),
    },
  });
  const server = createServer((incoming, outgoing) => {
    void text(incoming).then(async (body) => {
      const request = new Request(`${url}${incoming.url}`, {
        method: incoming.method ?? 'GET',
        headers: incoming.headers as Record<string, string>,
        ...(body !== '' && { body }),
      });
      const response = await admin.fetch(request, world.env, { waitUntil: () => {} });
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      outgoing.end(await response.text());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  url = typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : '';
  const run = wranglerOver(flags, ran);
  const made: CliWorld = Object.assign(world, {
    url,
    flags,
    ran,
    run,
    at: (...args: string[]) => made.with({}, ...args),
    with: (more: Partial<Surroundings>, ...args: string[]) =>
      cutover([...args, '--url', url], {
        env: { ADMIN_TOKEN: TOKEN },
        run,
        stdin: async () => 'secret-id-0\n',
        now: () => world.now,
        ...more,
      }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
  return made;
}

export const client = (name: string, version = '1.0') => ({
  ...{ name, version, era: '2025', protocolVersions: [], userAgents: [], uses: [], calls: 1 },
  ...{ lanes: [{ route: '/legacy/mcp', lane: 'legacy', calls: 1, lastSeenAt: NOW, reasons: {} }] },
  ...{ lastSeenAt: NOW, openSessions: 0, verdict: 'ready' as const },
});

/** The Worker does what the flags say, unless the test says something else. */
function follow({ stages }: World, source: ReadonlyMap<string, Flag>, keys: Readonly<Record<RouteKey, string>>): void {
  for (const [route, usual] of [
    ['legacy', 'legacy'],
    ['sse', 'legacy'],
    ['mcp', 'stateless'],
  ] as const) {
    const key = keys[route];
    let said: EvaluatedStage | undefined;
    Object.defineProperty(stages, route, {
      set: (stage: EvaluatedStage) => {
        said = stage;
      },
      get: () => {
        const flag = source.get(key);
        return (
          said ?? { stage: flag?.default_variation ?? usual, reason: flag === undefined ? 'flag_missing' : 'flag' }
        );
      },
    });
  }
}

/** As much of wrangler as the command uses. */
const wranglerOver =
  (flags: Map<string, Flag>, ran: string[][]): RunWrangler =>
  async (args) => {
    ran.push([...args]);
    const [, , verb, , key = ''] = args;
    const valuesOf = (name: string): string[] => args.filter((_arg, at) => args[at - 1] === name);
    const said = (value: unknown) => ({ code: 0, out: JSON.stringify(value), complaint: '' });
    if (verb === 'list') return said({ items: [...flags.values()] });
    const flag = flags.get(key) ?? { key, enabled: true, default_variation: '', variations: {}, rules: [] };
    for (const variation of valuesOf('--variation'))
      flag.variations[variation.split('=')[0] ?? ''] = variation.split('=')[1] ?? '';
    flag.default_variation = valuesOf('--default')[0] ?? flag.default_variation;
    if (verb === 'update' || verb === 'create')
      flag.rules = valuesOf('--rule-json').map((text) => JSON.parse(text) as Flag['rules'][number]);
    flags.set(key, flag);
    return said(flag);
  };
