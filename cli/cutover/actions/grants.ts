/**
 * `grants`: whose sign-ins go on, before a move. Reads the keys of the KV namespace of `@cloudflare/workers-oauth-provider`,
 * whose metadata name resource and client; no grant is opened, and nothing is written.
 */
import * as v from 'valibot';
import type { Context, Done } from '../context.ts';
import { couldNot } from '../stop.ts';
import { table } from '../table.ts';
import { isLoopback, type TargetFlags } from '../target.ts';

export interface GrantsFlags extends TargetFlags {
  readonly resource: readonly string[];
  readonly binding: string;
  readonly unboundGoOn?: boolean;
}

const Metadata = v.looseObject({
  clientId: v.string(),
  // A list was written by versions before 1.0.
  resource: v.optional(v.union([v.string(), v.array(v.string())])),
  redirectUri: v.optional(v.string()),
});
const Keys = v.array(v.looseObject({ name: v.string(), metadata: v.optional(v.unknown()) }));

/** `unknown`: the key says nothing, as those of versions before 1.0 do until their client refreshes. */
type Verdict = 'goes on' | 'signs in anew' | 'unknown';

interface Row {
  readonly resource: string;
  readonly client: string;
  readonly verdict: Verdict;
  readonly grants: number;
  readonly users: number;
}

export async function grants(context: Context, flags: GrantsFlags): Promise<Done> {
  for (const resource of flags.resource) {
    if (!URL.canParse(resource)) throw couldNot(`--resource "${resource}" is no URL`, 'Use it as tokens have it.');
  }
  const keys = await keysOf(context, flags);
  const groups = new Map<string, { row: Omit<Row, 'grants' | 'users'>; users: Set<string>; grants: number }>();
  for (const { name, metadata } of keys) {
    const row = rowOf(metadata, flags);
    const group = groups.get(JSON.stringify(row)) ?? { row, users: new Set(), grants: 0 };
    group.users.add(name.slice('grant:'.length, name.lastIndexOf(':')));
    group.grants += 1;
    groups.set(JSON.stringify(row), group);
  }
  const rows = [...groups.values()]
    .map(({ row, users, grants: count }): Row => ({ ...row, grants: count, users: users.size }))
    .toSorted((one, other) => other.grants - one.grants);
  const total = (verdict: Verdict): number =>
    rows.filter((row) => row.verdict === verdict).reduce((sum, row) => sum + row.grants, 0);
  const counts = { goOn: total('goes on'), signInAnew: total('signs in anew'), unknown: total('unknown') };
  return {
    exitCode: counts.signInAnew + counts.unknown === 0 ? 0 : 1,
    json: { ...counts, rows },
    text: rows.length === 0 ? 'There is no grant.' : textOf(rows, counts),
  };
}

async function keysOf({ config, run, url }: Context, flags: GrantsFlags): Promise<v.InferOutput<typeof Keys>> {
  if (flags.local === true && flags.remote === true)
    throw couldNot('--local and --remote exclude each other', 'Use one of them.');
  const isLocal = flags.local === true || (flags.remote !== true && isLoopback(url));
  const { code, out, complaint } = await run([
    ...['kv', 'key', 'list', '--prefix', 'grant:', '--binding', flags.binding, '--config', config],
    ...(flags.env === undefined ? [] : ['--env', flags.env]),
    ...(isLocal ? ['--local'] : ['--remote']),
    ...(isLocal && flags.persistTo !== undefined ? ['--persist-to', flags.persistTo] : []),
  ]);
  if (code !== 0) {
    throw couldNot(
      `wrangler could not list the keys of ${flags.binding}: ${complaint}`,
      'Name the namespace with --binding and its configuration with --config; add --local for the store of this machine.',
    );
  }
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), Keys), out.slice(Math.max(out.indexOf('['), 0)));
  if (read.success) return read.output.filter(({ name }) => /^grant:.+:./.test(name));
  throw couldNot("wrangler's list of keys is not understood", 'Compare its version with the one in package.json.');
}

function rowOf(metadata: unknown, flags: GrantsFlags): Omit<Row, 'grants' | 'users'> {
  const { success, output } = v.safeParse(Metadata, metadata);
  if (!success) return { resource: 'not said', client: 'not said', verdict: 'unknown' };
  const { clientId, resource, redirectUri } = output;
  const host = redirectUri !== undefined && URL.canParse(redirectUri) ? ` (${new URL(redirectUri).host})` : '';
  const client = `${clientId}${host}`;
  if (resource === undefined) {
    return { resource: 'none', client, verdict: flags.unboundGoOn === true ? 'goes on' : 'signs in anew' };
  }
  const named = typeof resource === 'string' ? [resource] : resource;
  const goesOn = named.some((one) => flags.resource.includes(one));
  return { resource: named.join(', '), client, verdict: goesOn ? 'goes on' : 'signs in anew' };
}

function textOf(rows: readonly Row[], counts: { goOn: number; signInAnew: number; unknown: number }): string {
  const lines = [
    table(
      ['resource', 'client', 'grants', 'users', ''],
      rows.map((row) => [row.resource, row.client, String(row.grants), String(row.users), row.verdict]),
    ),
    `${counts.goOn} go on, ${counts.signInAnew} sign in anew, ${counts.unknown} unknown.`,
  ];
  if (counts.signInAnew > 0) {
    lines.push(
      'So that they go on, add their resources to those of the authorization server, and to "resources" or "formerly" of signIn.',
    );
  }
  if (counts.unknown > 0)
    lines.push('What is unknown was written before version 1.0 of the provider: a refresh makes it known.');
  return lines.join('\n');
}
