/** The Worker to deploy. Its tools know nothing of what is here. */
import { createHybrid } from 'hybrid-mcp';
import { legacyLane } from 'hybrid-mcp/legacy';
import { signIn } from 'hybrid-mcp/sign-in';
import { z } from 'zod';
import { catalogue } from './catalogue.ts';
import { memberOf, servicesOf, type LibraryEnv } from './deployment.ts';

const hybrid = createHybrid({
  catalogue,
  legacy: legacyLane(),
  properties: z.object({ role: z.enum(['reader', 'staff']), token: z.string() }),
  services: (env: LibraryEnv, caller) => servicesOf(env, caller),
  signIn: signIn<LibraryEnv>({ tokens: memberOf }),
  census: false,
  admin: false,
});

export class StateObject extends hybrid.StateObject {}
export class LegacyAgent extends hybrid.LegacyAgent {}
export default hybrid.handler;
