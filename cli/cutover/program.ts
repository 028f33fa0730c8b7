/** The command line of `cutover`: which commands and flags there are and what they say. Reads nothing and runs nothing. */
import { Command } from 'commander';
import { audit, setBrake } from './actions/brake.ts';
import { census, forget, type ForgetFlags } from './actions/census.ts';
import { initFlags } from './actions/flags-init.ts';
import { grants, type GrantsFlags } from './actions/grants.ts';
import { retireCheck } from './actions/retire.ts';
import { move, type SessionFlags } from './actions/sessions.ts';
import { rampTo, set, unset, type StageFlags } from './actions/stages.ts';
import { status } from './actions/status.ts';
import { MAX_AGE_HOURS } from './certificate.ts';
import { readCohort, type CohortFlags } from './cohort.ts';
import type { ChangeFlags, Context, Done } from './context.ts';
import type { TargetFlags } from './target.ts';
import { COMMANDS, DEFAULT_CONFIG } from './project.ts';

export type GlobalFlags = TargetFlags & { readonly who?: string; readonly json?: boolean };

export interface ProgramOptions {
  readonly act: (flags: GlobalFlags, action: (context: Context) => Promise<Done>) => Promise<void>;
  readonly stdin: () => Promise<string>;
}

const NO_AUDIT = "without a word to the operator's API, where it does not answer";

const HELP = `
The token is the Worker's secret ADMIN_TOKEN, from the environment.
Routes: legacy (/legacy/mcp), sse (/legacy/sse), mcp (/mcp).
Exit code: 0 done, 1 refused or not ready, 2 could not.`;

type RawStageFlags = Omit<StageFlags, 'cohort'> & CohortFlags;
const withCohort = ({ client, era, subject, ...flags }: RawStageFlags): StageFlags => ({
  ...flags,
  cohort: readCohort({
    ...(client !== undefined && { client }),
    ...(era !== undefined && { era }),
    ...(subject !== undefined && { subject }),
  }),
});

export function program({ act, stdin }: ProgramOptions): Command {
  const root = new Command(COMMANDS.name)
    .description('Moves clients from the legacy half to the stateless one, and back.')
    .addHelpText('after', HELP);

  /** Options stand at each command, so that they may come after it. */
  const command = (name: string, description: string, parent: Command = root): Command =>
    parent
      .command(name)
      .description(description)
      .option('--url <url>', 'the Worker', 'http://localhost:8787')
      .option('--json', 'print JSON')
      .option('--config <file>', 'the configuration of the Worker', DEFAULT_CONFIG)
      .option('--local', 'the flags are in the store of this machine; so it is where the URL is of this machine')
      .option('--remote', 'the flags are in the Flagship app')
      .option('--persist-to <dir>', 'the folder of the local store; without it the one that the Worker names')
      .option('--app <id>', 'the Flagship app; without it the one that is bound as FLAGS')
      .option(
        '--flag-key <route=key>',
        "the key of a route's flag, where the Worker is not asked and its option flagKeys names another; several times",
        (given: string, before: readonly string[]) => [...before, given],
        [],
      )
      .option('--env <name>', 'the environment of the configuration');
  const changing = (one: Command): Command =>
    one
      .option('--why <text>', 'the reason, for the audit log')
      .option(
        '--who <name>',
        'your name, beside your sign-in in the audit log; without it the name of your account on this machine',
      )
      .option('--dry-run', 'say what would be changed, and change nothing');
  const cohorts = (one: Command): Command =>
    one
      .option('--client <name[/version]>', 'only these clients; name/1.* for all versions that begin so')
      .option('--era <era>', 'only clients of this era, 2025 or 2026')
      .option('--subject <subject>', 'only this signed-in subject')
      .option('--unseen', 'also where the census has never seen such a client')
      .option('--no-audit', NO_AUDIT);
  const stepping = (one: Command): Command =>
    one
      .option('--early <reason>', 'although a step of the runbook is left out, or was not stayed at for long enough')
      .option('--even-if-open', 'although sessions are open that a stage ends');
  const certified = (one: Command): Command =>
    one
      .option(
        '--certificate <file>',
        'only with this certificate of mcp-parity, if it is fresh, good, and for this step',
      )
      .option('--max-age <hours>', `how old the certificate may be; without it ${MAX_AGE_HOURS}, which is 7 days`)
      .option('--exempt <tools>', 'tools that the certificate need not have, such as those that write')
      .option('--min-succeeded <numbers>', 'how much of each tool must have succeeded, as 20 or 20,lookup=8')
      .option('--bearer-env <variable>', 'environment variable that holds a token for reading what the lanes list');

  command('status', 'where each route stands').action(async (flags: GlobalFlags) => act(flags, status));

  certified(stepping(cohorts(changing(command('set', 'gives everybody, or a cohort, a stage')))))
    .argument('<route>')
    .argument('<stage>')
    .action(async (route: string, stage: string, flags: GlobalFlags & RawStageFlags) =>
      act(flags, async (context) => set(context, route, stage, withCohort(flags))),
    );

  certified(stepping(cohorts(changing(command('ramp', 'gives a share of new sessions a stage')))))
    .argument('<route>')
    .argument('<stage>')
    .argument('<percent>')
    .option('--by <attribute>', 'what clients are shared out by')
    .action(
      async (route: string, stage: string, percent: string, flags: GlobalFlags & RawStageFlags & { by?: string }) =>
        act(flags, async (context) =>
          rampTo(context, route, stage, percent, {
            ...withCohort(flags),
            ...(flags.by !== undefined && { by: flags.by }),
          }),
        ),
    );

  cohorts(changing(command('unset', 'gives a cohort the stage of everybody again')))
    .argument('<route>')
    .action(async (route: string, flags: GlobalFlags & RawStageFlags) =>
      act(flags, async (context) => unset(context, route, withCohort(flags))),
    );

  for (const [name, path, description] of [
    ['drain', '/drain', 'hands open legacy sessions to the stateless lanes, with their state'],
    ['take-back', '/take-back', 'takes drained sessions back to the legacy lane'],
  ] as const) {
    changing(command(name, description))
      .option('--client <name[/version]>', 'the sessions of these clients')
      .option('--all', 'all sessions')
      .option('--session', 'the one session whose id is on standard input')
      .option('--older-than <minutes>', 'only sessions that began longer ago')
      .option('--limit <sessions>', 'at most so many')
      .action(async ({ session, ...flags }: GlobalFlags & Omit<SessionFlags, 'session'> & { session?: true }) =>
        act(flags, async (context) => {
          // No flag is touched; but a folder that is not this Worker's means that another Worker was meant.
          if (flags.persistTo !== undefined) await context.store();
          return move(context, path, { ...flags, ...(session === true && { session: (await stdin()).trim() }) });
        }),
      );
  }

  changing(command('brake', 'puts new sessions back on the legacy lane at once')).action(
    async (flags: GlobalFlags & ChangeFlags) => act(flags, async (context) => setBrake(context, true, flags)),
  );
  changing(command('release', 'takes the brake off')).action(async (flags: GlobalFlags & ChangeFlags) =>
    act(flags, async (context) => setBrake(context, false, flags)),
  );
  command('audit', 'who changed what, and why')
    .option('--limit <entries>', 'at most so many', '50')
    .action(async (flags: GlobalFlags & { limit: string }) => act(flags, async (context) => audit(context, flags)));
  const known = command('census', 'which clients there are, and which may move').action(async (flags: GlobalFlags) =>
    act(flags, census),
  );
  // Its options and those of `forget` have the same names.
  root.enablePositionalOptions();
  known.enablePositionalOptions();
  changing(command('forget', 'forgets clients that are nobody, such as names that somebody invented', known))
    .option('--client <name[/version]>', 'only these clients; * stands for any text')
    .option('--once', 'only clients with one call')
    .option('--at-most <calls>', 'only clients with at most so many calls')
    .action(async (flags: GlobalFlags & ForgetFlags) => act(flags, async (context) => forget(context, flags)));
  command('retire-check', 'may the legacy half be deleted?').action(async (flags: GlobalFlags) =>
    act(flags, retireCheck),
  );

  command('grants', 'who will have to sign in anew: the grants of the sign-in, by resource and client; changes nothing')
    .requiredOption(
      '--resource <url>',
      'a resource whose tokens the server accepts; several times',
      (given: string, before: readonly string[] | undefined) => [...(before ?? []), given],
    )
    .option('--unbound-go-on', 'grants without a resource go on: the server has a legacyGrantResource')
    .option('--binding <name>', 'the KV namespace of the sign-in', 'OAUTH_KV')
    .action(async (options: GlobalFlags & GrantsFlags) => act(options, async (context) => grants(context, options)));

  const flags = root.command('flags').description('the flags themselves');
  changing(command('init', 'makes the flags that are missing, each at what the Worker does now', flags))
    .option('--no-audit', NO_AUDIT)
    .action(async (options: GlobalFlags & ChangeFlags & { audit: boolean }) =>
      act(options, async (context) => initFlags(context, options)),
    );
  return root;
}
