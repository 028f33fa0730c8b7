/** `npm run demo`: prints the parity of the three lanes and ends with its exit code. */
import process from 'node:process';
import { demo } from './demo/command.ts';

const { exitCode, out, error } = await demo(process.argv.slice(2));
if (out !== undefined) console.log(out);
if (error !== undefined) console.error(error);
process.exitCode = exitCode;
