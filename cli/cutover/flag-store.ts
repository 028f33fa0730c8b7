/** The flags as wrangler reads and writes them: the store on this machine, or the app in the account. */
import * as v from 'valibot';
import { STAGES, type RouteKey } from '../../src/cutover/stage.ts';
import type { Status } from './answers.ts';
import type { Flag, FlagState, Rule } from './flag.ts';
import type { FlagKeys } from './flag-keys.ts';
import type { RunWrangler } from './run-wrangler.ts';
import { COMMANDS } from './project.ts';
import { couldNot, type Stop } from './stop.ts';

export interface FlagStoreOptions {
  /** The deployment's own. */
  readonly keys: FlagKeys;
  readonly appId: string;
  /** The folder of the local store; without it the app in the account is meant. */
  readonly persistTo: string | undefined;
  readonly config: string;
  readonly run: RunWrangler;
}

export interface FlagStore {
  readonly where: string;
  readonly keys: FlagKeys;
  all(): Promise<ReadonlyMap<string, Flag>>;
  /**
   * The flag of a route.
   * @param status What the Worker says, if it was asked: a store without a flag that it reads is another Worker's.
   */
  read(route: RouteKey, status: Status | undefined): Promise<Flag>;
  create(route: RouteKey, state: FlagState): Promise<Flag>;
  /** Default and rules together, so that no request sees half a change. */
  write(route: RouteKey, state: FlagState): Promise<Flag>;
}

const Stored = v.object({
  key: v.string(),
  enabled: v.boolean(),
  default_variation: v.string(),
  variations: v.record(v.string(), v.unknown()),
  rules: v.array(
    v.looseObject({
      priority: v.number(),
      conditions: v.array(v.unknown()),
      serve_variation: v.string(),
      rollout: v.optional(v.object({ percentage: v.number(), attribute: v.optional(v.string()) })),
    }),
  ),
});
const List = v.object({ items: v.array(Stored) });

export function createFlagStore({ keys, appId, persistTo, config, run }: FlagStoreOptions): FlagStore {
  const where = persistTo === undefined ? ['--remote', '--config', config] : ['--local', '--persist-to', persistTo];
  const name = persistTo === undefined ? `the Flagship app ${appId}` : `the local flag store ${persistTo}`;

  async function flags<Schema extends v.GenericSchema>(
    args: readonly string[],
    schema: Schema,
  ): Promise<v.InferOutput<Schema>> {
    const { code, out, complaint } = await run(['flagship', 'flags', ...args, ...where, '--json']);
    if (code !== 0) throw couldNot(`wrangler could not use ${name}: ${complaint}`, remedyFor(complaint));
    const read = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), out.slice(Math.max(out.search(/[{[]/), 0)));
    if (read.success) return read.output;
    throw couldNot(
      `wrangler's answer about ${name} is not understood`,
      'Compare its version with the one in package.json.',
    );
  }

  const all = async (): Promise<ReadonlyMap<string, Flag>> =>
    new Map((await flags(['list', appId, '--all'], List)).items.map((stored) => [stored.key, flagOf(stored)]));

  return {
    where: name,
    keys,
    all,
    async read(route, status) {
      const flag = (await all()).get(keys[route]);
      if (flag !== undefined) return flag;
      const known = status?.routes.find((one) => one.route === route);
      if (known?.reason === 'flag') throw otherStore({ where: name }, known.flag);
      throw couldNot(`There is no flag ${keys[route]} in ${name}`, `Create the flags: ${COMMANDS.flags} init`);
    },
    async create(route, { default_variation, rules }) {
      const variations = STAGES[route].flatMap((stage) => ['--variation', `${stage}=${stage}`]);
      const args = ['create', appId, keys[route], ...variations, '--default', default_variation];
      return flagOf(await flags([...args, '--type', 'string', ...ruleArgs(rules)], Stored));
    },
    async write(route, { default_variation, rules }) {
      const args = ['update', appId, keys[route], '--default', default_variation];
      return flagOf(await flags([...args, ...(rules.length === 0 ? ['--clear-rules'] : ruleArgs(rules))], Stored));
    },
  };
}

const ruleArgs = (rules: readonly Rule[]): readonly string[] =>
  rules.flatMap((rule, at) => ['--rule-json', ruleJson(rule, at)]);

const ruleJson = ({ conditions, serve_variation, rollout }: Rule, at: number): string =>
  JSON.stringify({ priority: at + 1, conditions, serve_variation, ...(rollout !== undefined && { rollout }) });

function flagOf({ rules, ...flag }: v.InferOutput<typeof Stored>): Flag {
  const ordered = [...rules].sort((one, other) => one.priority - other.priority);
  return {
    ...flag,
    rules: ordered.map(({ conditions, serve_variation, rollout }) => ({
      conditions,
      serve_variation,
      ...(rollout !== undefined && {
        rollout: {
          percentage: rollout.percentage,
          ...(rollout.attribute !== undefined && { attribute: rollout.attribute }),
        },
      }),
    })),
  };
}

/** The Worker reads a flag that the store does not have, or the other way round. */
export const otherStore = ({ where }: Pick<FlagStore, 'where'>, flag: string): Stop =>
  couldNot(
    `The Worker reads a flag ${flag}, and there is none in ${where}: it is not where this Worker has its flags`,
    'Name the folder that its npm start was given with --persist-to, or its Flagship app with --app.',
  );

function remedyFor(complaint: string): string {
  return /CLOUDFLARE_API_TOKEN|log ?in|auth/i.test(complaint)
    ? 'Set CLOUDFLARE_API_TOKEN, or use the store of this machine with --local.'
    : 'Try the same with wrangler: npx wrangler flagship flags list <app>';
}
