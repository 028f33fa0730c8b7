/** `cutover` as a function: reads its arguments, asks the Worker and the flags, and gives what to print and the exit code. */
import { userInfo } from 'node:os';
import process from 'node:process';
import { CommanderError } from 'commander';
import { KEY_VARIABLE } from '../parity/certificate/sign.ts';
import { read, Status } from './answers.ts';
import { createAdminApi } from './api.ts';
import type { Context, Done } from './context.ts';
import { readFlagKeys } from './flag-keys.ts';
import { createFlagStore } from './flag-store.ts';
import { program, type GlobalFlags } from './program.ts';
import { runWrangler, type RunWrangler } from './run-wrangler.ts';
import { Stop } from './stop.ts';
import { readStore, readUrl } from './target.ts';

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly run?: RunWrangler;
  /** For `--session`; standard input where it is not given. */
  readonly stdin?: () => Promise<string>;
  /** Present if somebody sits at a terminal. */
  readonly ask?: (question: string) => Promise<string>;
  readonly now?: () => number;
}

export interface Printed {
  readonly exitCode: 0 | 1 | 2;
  readonly out?: string;
  readonly error?: string;
}

export async function cutover(args: readonly string[], surroundings: Surroundings): Promise<Printed> {
  const isJson = args.includes('--json');
  let out = '';
  let error = '';
  let done: Done | undefined;
  const command = program({
    stdin: surroundings.stdin ?? readStdin,
    act: async (flags, action) => {
      done = await action(contextOf(flags, surroundings));
    },
  });
  for (const each of [command, ...command.commands, ...command.commands.flatMap((one) => one.commands)]) {
    each.exitOverride().configureOutput({ writeOut: (text) => (out += text), writeErr: (text) => (error += text) });
  }
  try {
    await command.parseAsync([...args], { from: 'user' });
  } catch (thrown) {
    // Commander has said what it has to say; help is a success.
    if (thrown instanceof CommanderError) {
      return {
        exitCode: thrown.exitCode === 0 ? 0 : 2,
        ...(out !== '' && { out: out.trimEnd() }),
        ...(error !== '' && { error: error.trimEnd() }),
      };
    }
    if (!(thrown instanceof Stop)) throw thrown;
    const { exitCode, message, remedy } = thrown;
    return isJson
      ? { exitCode, out: jsonText({ error: { message, remedy }, exitCode }) }
      : { exitCode, error: `${message}.\n${remedy}` };
  }
  if (done === undefined) return { exitCode: 2, error: command.helpInformation().trimEnd() };
  return { exitCode: done.exitCode, out: isJson ? jsonText({ ...done.json, exitCode: done.exitCode }) : done.text };
}

/** Names come from clients: what could act on a terminal is written with its code point, which reads back the same. */
const jsonText = (value: object): string =>
  JSON.stringify(value, undefined, 2).replaceAll(/[^\P{C}\n]/gu, (sign) =>
    Array.from({ length: sign.length }, (_, at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );

function contextOf(flags: GlobalFlags, surroundings: Surroundings): Context {
  const { env, run = runWrangler, ask, now = Date.now } = surroundings;
  const url = readUrl(flags.url);
  const api = createAdminApi(url, env['ADMIN_TOKEN']);
  let asked: Promise<Status> | undefined;
  const status = (): Promise<Status> => (asked ??= api.get('/status').then((answer) => read(Status, answer)));
  return {
    url,
    config: flags.config,
    api,
    run,
    status,
    store: async () => {
      // The Worker is asked where its flags are, unless it is the one that does not answer.
      const told = flags.audit === false ? undefined : await status();
      const keys = readFlagKeys(flags.flagKey, told);
      return createFlagStore({ ...(await readStore(flags, told)), keys, run });
    },
    said: flags.who ?? userInfo().username,
    now,
    ask,
    parityKey: env[KEY_VARIABLE],
  };
}

async function readStdin(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin) text += String(chunk);
  return text;
}
