/**
 * The files that reports go to: whether they can be written is known before an hour of comparing and not after, and what
 * stands in the way is said with the flag and the remedy.
 */
import { constants, createWriteStream } from 'node:fs';
import { access, mkdir, stat, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import { UsageError, type Reports } from '../config.ts';

/**
 * Makes the folders of the reports.
 * @throws UsageError for the first report that has no place to go to.
 */
export async function prepareReports(reports: Reports): Promise<void> {
  for (const [kind, file] of Object.entries(reports) as readonly (readonly [string, string])[]) {
    if (file === '' || /[/\\]$/.test(file) || (await statOf(file))?.isDirectory() === true)
      throw new UsageError(
        `--${kind} ${file} is a directory. Give the name of a file, such as ${exampleIn(file, kind)}.`,
      );
    const folder = path.dirname(file);
    try {
      await mkdir(folder, { recursive: true });
      // A file that is there may be writable where its folder is not, as /dev/stdout is.
      await access((await statOf(file)) === undefined ? folder : file, constants.W_OK);
    } catch (thrown) {
      throw cannotWrite(`--${kind} ${file}`, thrown);
    }
  }
}

export async function writeReport(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (thrown) {
    throw cannotWrite(file, thrown);
  }
}

interface Lines {
  readonly write: (line: string) => Promise<void>;
  readonly end: () => Promise<void>;
}

/** Waits for the disk, so that a fast run of many calls does not pile up in memory. */
export function openLines(file: string): Lines {
  const stream = createWriteStream(file);
  let failure: Error | undefined;
  // Without a listener a full disk would end the process, and nobody would know of which file.
  stream.on('error', (error) => (failure = error));
  const guarded = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      if (failure !== undefined) throw failure;
      await work();
    } catch (thrown) {
      throw cannotWrite(file, thrown);
    }
  };
  return {
    write: (line) =>
      guarded(async () => {
        if (!stream.write(`${line}\n`)) await once(stream, 'drain');
      }),
    end: () =>
      guarded(async () => {
        stream.end();
        await finished(stream);
      }),
  };
}

const statOf = (file: string) => stat(file).catch(() => undefined);

const exampleIn = (folder: string, kind: string): string =>
  path.join(folder, `parity.${{ certificate: 'json', junit: 'xml', markdown: 'md' }[kind] ?? kind}`);

const cannotWrite = (what: string, thrown: unknown): UsageError =>
  new UsageError(
    `${what} cannot be written: ${thrown instanceof Error ? thrown.message : String(thrown)}. Give a file in a folder that you may write to.`,
  );
