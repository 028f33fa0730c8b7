import { env } from 'cloudflare:workers';
import { createCatalogue, createHybrid } from 'hybrid-mcp';
import { registrations } from 'hybrid-mcp/port';
import { registerTools } from './registered-tools.ts';

const catalogue = createCatalogue({
  info: { name: 'my-server', title: 'My server', version: '1.0.0' },
  instructions: '',
  tools: [], // definitions, if there are some: both can be in one catalogue
  registrations: [registrations(registerTools, { env })],
});
const hybrid = createHybrid({ catalogue });

export class StateObject extends hybrid.StateObject {}
export default hybrid.handler satisfies ExportedHandler<Env>;
