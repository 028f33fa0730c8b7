/** `npm run cutover`: prints what the command answers and ends with its exit code. */
import process from 'node:process';
import { cutover } from './cutover/command.ts';

const { exitCode, out, error } = await cutover(process.argv.slice(2), { env: process.env });
if (out !== undefined) console.log(out);
if (error !== undefined) console.error(error);
process.exitCode = exitCode;
