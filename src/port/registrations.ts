/**
 * Runs a registration, and keeps what it has registered: once per isolate if it does not look at the caller, once for each
 * caller if it does. Which of the two it is shows when it runs, and again when one of its handlers runs.
 */
import type { Caller } from '../shared/caller.ts';
import { CatalogueError, type DefinitionKind } from '../shared/catalogue/error.ts';
import type { RegisteredEntries, Registrations } from '../shared/define/registrations.ts';
import { RecentMap } from '../shared/recent-map.ts';
import { contextFor, type RegistrationContext } from './context.ts';
import { createRecorder } from './recorder.ts';
import { runIn, type Recording } from './recording.ts';
import type { ZodThree } from './standard.ts';
import type { Slot, Table } from './table.ts';
import type { Recorder } from './types.ts';

/** Recordings for so many callers per isolate: one of 50 tools takes about as much memory as its schemas. */
const MAX_CALLERS = 50;

/** What `registrations()` is given beside the function. */
export type RegistrationOptions<Context> = (unknown extends EnvOf<Context>
  ? { readonly env?: unknown }
  : {
      /** What the registration is given as `context.env`: `env` of "cloudflare:workers" in a Worker. */
      readonly env: EnvOf<Context>;
    }) & {
  /** Reads schemas of Zod 3: `zod3` of `hybrid-mcp/port/zod3`. Without it they are refused. */
  readonly zod3?: ZodThree;
};

type EnvOf<Context> = Context extends { readonly env: infer Env } ? Env : unknown;

/** What a registration may ask for in its second argument. */
type ContextLike<Context> = {
  readonly [Member in keyof Context]: Member extends keyof RegistrationContext ? unknown : NotInContext;
};
declare const NOT_IN_CONTEXT: unique symbol;
interface NotInContext {
  readonly [NOT_IN_CONTEXT]: never;
}

interface Recorded {
  readonly recording: Recording;
  readonly entries: RegisteredEntries;
}

/**
 * Takes the function that registers tools, prompts and resources on the server of a class, and gives what a catalogue
 * serves in its place, without an object of the class.
 *
 * @param register Gets a server with the methods of both SDKs' `McpServer`, and `{ env, props, caller }`. What it throws for a
 *   caller refuses that caller.
 * @example
 * ```ts
 * import { env } from 'cloudflare:workers';
 *
 * const register = (server: Recorder, { props }: { env: Env; props: { login?: string } }) =>
 *   server.tool('greet', { greeting: z.string() }, ({ greeting }) => ({
 *     content: [{ type: 'text', text: `${greeting}, ${props.login ?? 'stranger'}!` }],
 *   }));
 * const catalogue = createCatalogue({
 *   info: { name: 'my-server', title: 'My server', version: '1.0.0' },
 *   instructions: '',
 *   tools: [],
 *   registrations: [registrations(register, { env })],
 * });
 * ```
 */
// A registration says what it registers on by its parameter; one that says nothing gets the recorder's own types.
export function registrations<
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters
  Server extends object = Recorder,
  Context extends ContextLike<Context> = RegistrationContext,
>(
  register: (server: Server, context: Context) => unknown,
  ...[options]: unknown extends EnvOf<Context>
    ? [options?: RegistrationOptions<Context>]
    : [options: RegistrationOptions<Context>]
): Registrations {
  const { env, zod3 } = (options ?? {}) as { readonly env?: unknown; readonly zod3?: ZodThree };
  if (typeof register !== 'function') {
    const remedy = 'Give the function that registers tools, prompts and resources on a server.';
    throw new CatalogueError('catalogue', 'registrations', 'were given no function', remedy);
  }
  const seen = new Set<string>();
  /** For callers without a sign-in, by whom nothing can differ. */
  let strangers: Promise<Recorded> | undefined;
  /** For all callers with a sign-in, as long as neither the registration nor a handler of it has looked at one. */
  let shared: Promise<Recorded> | undefined;
  const ofCallers = new RecentMap<Promise<Recorded>>(MAX_CALLERS);
  let looksAtCaller = false;

  return { entriesFor };

  async function entriesFor(caller: Caller): Promise<RegisteredEntries> {
    if (Object.keys(caller.properties ?? {}).length === 0) {
      strangers ??= record(caller);
      strangers.catch(() => (strangers = undefined));
      return (await strangers).entries;
    }
    const everybodys = looksAtCaller ? undefined : await shared;
    // A handler that has looked may have kept what it saw, so what it was registered with is nobody else's any more.
    if (everybodys !== undefined && !everybodys.recording.looked) return everybodys.entries;
    looksAtCaller ||= everybodys?.recording.looked === true;
    const key = keyOf(caller);
    const known = looksAtCaller && key !== undefined ? ofCallers.get(key) : undefined;
    if (known !== undefined) return (await known).entries;
    const recorded = record(caller);
    const { recording, entries } = await recorded;
    looksAtCaller ||= recording.looked;
    if (!looksAtCaller) shared = recorded;
    else if (key !== undefined) ofCallers.set(key, recorded);
    return entries;
  }

  async function record(caller: Caller): Promise<Recorded> {
    const recording: Recording = { kind: 'recording', caller, looked: false, done: false };
    const slots = (): Map<string, Slot<unknown>> => new Map();
    const table: Table = {
      recording,
      zodThree: zod3,
      isNew: (kind: DefinitionKind, name: string) =>
        !seen.has(`${kind} ${name}`) && seen.add(`${kind} ${name}`) === seen,
      tools: slots(),
      prompts: slots(),
      resources: slots(),
      templates: slots(),
    };
    try {
      const server = createRecorder(recording, table) as unknown as Server;
      await runIn(recording, () => register(server, contextFor(env, recording) as unknown as Context));
    } finally {
      recording.done = true;
    }
    return {
      recording,
      entries: {
        tools: built(table.tools),
        prompts: built(table.prompts),
        resources: built(table.resources),
        templates: built(table.templates),
      } as RegisteredEntries,
    };
  }
}

const built = (slots: ReadonlyMap<string, Slot<unknown>>): readonly unknown[] =>
  [...slots.values()].filter(({ enabled }) => enabled).map(({ build }) => build());

/** The same for two callers who are the same in everything that a registration can see; undefined if JSON cannot say it. */
function keyOf(caller: Caller): string | undefined {
  try {
    return JSON.stringify(caller, (_key, value: unknown) => {
      if (typeof value === 'function' || typeof value === 'bigint' || typeof value === 'symbol') throw new TypeError();
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
      return Object.fromEntries(Object.entries(value).sort(([one], [two]) => (one < two ? -1 : 1)));
    });
  } catch {
    return undefined;
  }
}
