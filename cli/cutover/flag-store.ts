/** The flags as wrangler reads and writes them: the store on this machine, or the app in the account. */
import * as v from 'valibot';
import { FLAG_KEYS, STAGES, USUAL_STAGE, type RouteKey } from '../../src/cutover/stage.ts';
import type { Flag, FlagState, Rule } from './flag.ts';
import type { RunWrangler } from './run-wrangler.ts';
import { couldNot } from './stop.ts';

export interface FlagStoreOptions {
  readonly appId: string;
  /** The folder of the local store; without it the app in the account is meant. */
  readonly persistTo: string | undefined;
  readonly config: string;
  readonly run: RunWrangler;
}

export interface FlagStore {
  readonly where: string;
  all(): Promise<ReadonlyMap<string, Flag>>;
  /** The flag of a route. */
  read(route: RouteKey): Promise<Flag>;
  create(route: RouteKey): Promise<void>;
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

export function createFlagStore({ appId, persistTo, config, run }: FlagStoreOptions): FlagStore {
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
    all,
    async read(route) {
      const flag = (await all()).get(FLAG_KEYS[route]);
      if (flag !== undefined) return flag;
      throw couldNot(`There is no flag ${FLAG_KEYS[route]} in ${name}`, 'Create the flags: npm run flags -- init');
    },
    async create(route) {
      const variations = STAGES[route].flatMap((stage) => ['--variation', `${stage}=${stage}`]);
      const args = [
        'create',
        appId,
        FLAG_KEYS[route],
        ...variations,
        '--default',
        USUAL_STAGE[route],
        '--type',
        'string',
      ];
      await flags(args, Stored);
    },
    async write(route, { default_variation, rules }) {
      const args = ['update', appId, FLAG_KEYS[route], '--default', default_variation];
      const replaced =
        rules.length === 0 ? ['--clear-rules'] : rules.flatMap((rule, at) => ['--rule-json', ruleJson(rule, at)]);
      return flagOf(await flags([...args, ...replaced], Stored));
    },
  };
}

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

function remedyFor(complaint: string): string {
  return /CLOUDFLARE_API_TOKEN|log ?in|auth/i.test(complaint)
    ? 'Set CLOUDFLARE_API_TOKEN, or use the store of this machine with --local.'
    : 'Try the same with wrangler: npx wrangler flagship flags list <app>';
}
