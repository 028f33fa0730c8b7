/** `drain` and `take-back`: moves open sessions, a few a request, until each was tried once. */
import { Moved, read } from '../answers.ts';
import { readClient } from '../cohort.ts';
import { whyOf, type ChangeFlags, type Context, type Done } from '../context.ts';
import { couldNot } from '../stop.ts';

export interface SessionFlags extends ChangeFlags {
  readonly client?: string;
  readonly all?: boolean;
  /** The id of one session, from standard input: it is as good as a password, so it is no argument. */
  readonly session?: string;
  readonly olderThan?: string;
  readonly limit?: string;
}

const MINUTE_MS = 60_000;
/** As many as one request may move. */
const AT_ONCE = 50;

export async function move({ api, said }: Context, path: '/drain' | '/take-back', flags: SessionFlags): Promise<Done> {
  const why = whyOf(flags);
  const selection = selectionOf(flags);
  const most = flags.limit === undefined ? Number.POSITIVE_INFINITY : wholeNumber('--limit', flags.limit);
  const dryRun = flags.dryRun === true;
  const total = { matched: 0, changed: 0, gone: 0, failed: 0, left: 0 };
  for (;;) {
    // What failed is among the oldest again. It is tried once, and must not keep the rest from being tried.
    const skip = total.failed === 0 ? {} : { skip: total.failed };
    const limit = Math.min(AT_ONCE, most - total.changed - total.gone - total.failed);
    const moved = read(Moved, await api.post(path, { ...selection, ...skip, limit, dryRun, who: said, why }));
    total.matched = Math.max(total.matched, moved.matched);
    total.changed += moved.changed;
    total.gone += moved.gone;
    total.failed += moved.failed;
    total.left = moved.left;
    const spent = total.changed + total.gone + total.failed;
    const tried = moved.changed + moved.gone + moved.failed;
    if (dryRun || moved.left <= total.failed || tried === 0 || spent >= most) break;
  }
  const verb = path === '/drain' ? 'drained' : 'taken back';
  return {
    exitCode: total.failed > 0 ? 2 : 0,
    json: { ...total, dryRun },
    text: dryRun
      ? `${total.matched} sessions would be ${verb}. Nothing was changed.`
      : [
          `${total.changed} of ${total.matched} sessions were ${verb}.`,
          ...(total.gone > 0 ? [`${total.gone} had ended meanwhile.`] : []),
          ...(total.failed > 0 ? [`${total.failed} could not be moved: see the Worker's log, and try again.`] : []),
          ...(total.left > 0 ? [`${total.left} are left.`] : []),
        ].join('\n'),
  };
}

function selectionOf({ client, all, session, olderThan }: SessionFlags): object {
  if ([client, all, session].filter((given) => given !== undefined).length !== 1) {
    throw couldNot(
      'Say whose sessions',
      'Use one of --client <name[/version]>, --all, or --session (an id on standard input).',
    );
  }
  const age = olderThan === undefined ? {} : { olderThanMs: wholeNumber('--older-than', olderThan) * MINUTE_MS };
  if (session !== undefined) return { session };
  if (client === undefined) return { all: true, ...age };
  const named = readClient(client);
  if (named.version?.endsWith('*') === true) {
    throw couldNot(`--client "${client}" names many versions`, 'Name one version, or none for all of them.');
  }
  return { ...named, ...age };
}

function wholeNumber(flag: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw couldNot(`${flag} "${text}" is no whole number above 0`, `Use for example ${flag} 30.`);
}
