/** Legacy sessions as an operator reaches them. Their full type is too deep for the compiler to compare. */
import { env } from 'cloudflare:workers';
import type { SessionAgentApi } from '../../src/state/transfer.ts';

const agents = env.LEGACY_AGENT as unknown as { getByName(name: string): SessionAgentApi };

export const agentOf = (sessionId: string | undefined): SessionAgentApi =>
  agents.getByName(`streamable-http:${sessionId}`);
