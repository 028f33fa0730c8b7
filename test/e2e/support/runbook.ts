/**
 * The commands of docs/runbook.md, run as the page has them, against a Worker on this machine. A command that the page does
 * not have is refused, and the page's commands that nobody has run can be asked for: so page and rehearsal cannot part.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { PROJECT_ROOT } from '../../../scripts/lib/wrangler.ts';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

export interface Target {
  /** What $WORKER stands for. */
  readonly url: string;
  readonly token: string;
}

/** npm takes longer to start than what it starts; and a rehearsal has no days, as a step forward asks for. */
const NPM = `
npm() {
  case "$2" in
    demo) shift 2; (cd "$ROOT" && "$NODE" cli/demo.ts "$@"); return ;;
    # What it writes is no part of the project.
    parity) shift 3; (cd "$FOLDER" && "$NODE" "$ROOT/packages/mcp-parity/mcp-parity.js" "$@"); return ;;
  esac
  [ "$2" = flags ] && first=flags || first=
  shift 3
  case "$1" in set | ramp) set -- "$@" --early "a rehearsal has no days" ;; esac
  # The Worker of the tests.
  set -- "$@" --config test/desk/wrangler.toml
  [ -z "$DRY" ] || set -- "$@" --dry-run
  "$NODE" cli/cutover.ts $first "$@"
}
`;
/** Two thousand calls, on a machine that does other things as well. */
const COMMAND_TIMEOUT_MS = 420_000;

/** What compares both halves, in step 1. The rehearsal leaves it to a test of its own. */
export const COMPARED = [
  'npm run demo',
  'npm run parity -- run --control "$WORKER/legacy/mcp" --control-era 2025 --candidate "$WORKER/mcp" --candidate-era 2025 --sanitize handle,timestamp --step "legacy stateless" --certificate parity.json',
  'npm run parity -- verify parity.json --live --exempt incrementCounter --min-succeeded 20,lookup=2',
] as const;

export class Runbook {
  readonly text: string;
  readonly commands: readonly string[];
  readonly #ran = new Set<string>();

  private constructor(text: string) {
    this.text = text;
    this.commands = [...text.matchAll(/^```sh\n(.*?)^```$/gms)]
      .flatMap(([, block = '']) => block.split('\n'))
      .map((line) => line.replace(/ +# .*$/, '').trim())
      .filter((line) => line !== '' && !line.startsWith('#'));
  }

  static async read(): Promise<Runbook> {
    return new Runbook(await readFile(path.join(PROJECT_ROOT, 'docs/runbook.md'), 'utf8'));
  }

  run(command: string, target: Target, env: Readonly<Record<string, string>> = {}): Promise<Ran> {
    if (!this.commands.includes(command)) throw new Error(`docs/runbook.md has no command: ${command}`);
    this.#ran.add(command);
    return this.slip(command, target, env);
  }

  /** A command that the page does not have: a slip of whoever types it. */
  slip(command: string, { url, token }: Target, env: Readonly<Record<string, string>> = {}): Promise<Ran> {
    return new Promise((resolve) => {
      execFile(
        'sh',
        ['-c', `${NPM}\n${command}`],
        {
          cwd: PROJECT_ROOT,
          timeout: COMMAND_TIMEOUT_MS,
          env: { ...process.env, ...env, NODE: process.execPath, ROOT: PROJECT_ROOT, WORKER: url, ADMIN_TOKEN: token },
        },
        (failure, out, error) => {
          // Without a number it was killed, or never ran.
          const code = failure === null ? 0 : typeof failure.code === 'number' ? failure.code : -1;
          resolve({ code, out, error });
        },
      );
    });
  }

  /** The page's commands that have not been run. */
  get left(): readonly string[] {
    return this.commands.filter((command) => !this.#ran.has(command));
  }
}
