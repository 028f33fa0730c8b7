/** Where a Worker on this machine keeps its state, told to the Worker, so that its operator's commands find its flags. */
import path from 'node:path';
import { PROJECT_ROOT } from './wrangler.ts';

/** wrangler's own, if it is not given another. */
const DEFAULT_STORE = path.join(PROJECT_ROOT, '.wrangler/state');

/** @param folder As `--persist-to` has it. */
export const storeVar = (folder: string | undefined): readonly string[] => [
  '--var',
  `LOCAL_STORE:${path.resolve(PROJECT_ROOT, folder ?? DEFAULT_STORE)}`,
];
