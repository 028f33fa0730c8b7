/** The files of a commit in a folder of this checkout, where its imports find the installed packages. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { PROJECT_ROOT } from './wrangler.ts';

const run = promisify(execFile);

/** A folder inside the checkout that no file of the project is in; removed when it goes out of scope. */
export async function scratchInside(name: string): Promise<AsyncDisposable & { readonly path: string }> {
  await mkdir(path.join(PROJECT_ROOT, '.wrangler'), { recursive: true });
  const folder = await mkdtemp(path.join(PROJECT_ROOT, `.wrangler/${name}-`));
  return {
    path: folder,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** @returns The root of the commit's files; the project itself if no commit is named. */
export async function sourcesOf(commit: string | undefined, scratch: string): Promise<string> {
  if (commit === undefined) return PROJECT_ROOT;
  const root = path.join(scratch, 'checkout');
  await mkdir(root);
  const archive = path.join(scratch, 'checkout.tar');
  await run('git', ['archive', `--output=${archive}`, commit], { cwd: PROJECT_ROOT });
  await run('tar', ['--extract', `--file=${archive}`, `--directory=${root}`]);
  return root;
}
