/**
 * `retire-check`: may the legacy half be deleted? The Worker judges what it sees; the flags' rules and the migrations in
 * the configuration are judged here. Refuses while anything speaks against it, and says the last steps when nothing does.
 */
import path from 'node:path';
import { checkMigrations } from '../../../scripts/lib/check-migrations.ts';
import { LAST_STAGE, ROUTE_KEYS } from '../../../src/cutover/stage.ts';
import { read, Retire, type RetireCheck } from '../answers.ts';
import type { Context, Done } from '../context.ts';
import type { Flag } from '../flag.ts';
import type { FlagKeys } from '../flag-keys.ts';
import { lastSteps } from '../last-steps.ts';
import { COMMANDS } from '../project.ts';
import { Stop } from '../stop.ts';
import { configPath } from '../target.ts';

export async function retireCheck(context: Context): Promise<Done> {
  const { checks: seen } = read(Retire, await context.api.get('/retire-check'));
  const status = await context.status();
  const checks = [
    ...seen,
    ...(status.source === 'flagship' ? [await rulesCheck(context)] : []),
    await migrationsCheck(context.config),
  ];
  const ready = checks.every(({ ok }) => ok);
  const steps = ready ? await lastSteps(context.config, status) : [];
  return {
    exitCode: ready ? 0 : 1,
    json: { ready, checks, steps },
    text: [
      ...checks.map(
        ({ ok, evidence, remedy }) =>
          `${ok ? 'ok  ' : 'NO  '}${evidence}${remedy === undefined ? '' : `\n      ${remedy}`}`,
      ),
      '',
      ready ? 'The legacy half may be deleted. This cannot be undone. The last steps:' : 'The legacy half must stay.',
      ...steps.map((step, at) => `\n${at + 1}. ${step}`),
    ].join('\n'),
  };
}

/** The stage of a route is not the stage of everybody while a rule says something else. */
async function rulesCheck(context: Context): Promise<RetireCheck> {
  const check = 'flag_rules';
  let flags: ReadonlyMap<string, Flag>;
  let keys: FlagKeys;
  try {
    const store = await context.store();
    keys = store.keys;
    flags = await store.all();
  } catch (cause) {
    if (!(cause instanceof Stop)) throw cause;
    return {
      check,
      ok: false,
      evidence: `the rules of the flags cannot be read: ${cause.message}`,
      remedy: cause.remedy,
    };
  }
  const others = ROUTE_KEYS.filter((route) => {
    const rules = flags.get(keys[route])?.rules ?? [];
    return rules.some(
      ({ serve_variation, rollout }) => serve_variation !== LAST_STAGE[route] && rollout?.percentage !== 0,
    );
  });
  return others.length === 0
    ? { check, ok: true, evidence: 'no rule of a flag keeps anybody elsewhere' }
    : {
        check,
        ok: false,
        evidence: `rules keep some clients elsewhere: ${others.map((route) => keys[route]).join(', ')}`,
        remedy: `See them with ${COMMANDS.cutover} status, and remove each with unset.`,
      };
}

async function migrationsCheck(config: string): Promise<RetireCheck> {
  const { problems, tags } = await checkMigrations(path.basename(config), path.dirname(configPath(config)));
  return problems.length === 0
    ? { check: 'migrations', ok: true, evidence: `the ${tags} migration tags in ${config} keep the rules` }
    : {
        check: 'migrations',
        ok: false,
        evidence: problems.join('; '),
        remedy: 'Put the migrations right: each problem says how.',
      };
}
