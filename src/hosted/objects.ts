/** Which object of the class answers whom. The package reads the transport from an object's name, so each has its prefix. */
import { hexOf, sha256 } from '../shared/digest.ts';
import { agentName } from '../state/transfer.ts';
import type { Agent } from './contract.ts';

/** The object of a signed-in caller, beside its sessions. */
export async function objectOfSubject(subject: string): Promise<string> {
  const digest = await sha256(`object of subject ${subject}`);
  return agentName(`subject-${hexOf(digest.subarray(0, 20))}`);
}

/** One of the objects that answer callers who are nobody, for a class that keeps no state. */
export const objectOfPool = (index: number): string => agentName(`pool-${index}`);

/** The object that keeps the key of handles. Without the prefix of sessions, so no client can ever name it. */
export const SECRET_OBJECT = 'hybrid-mcp:secret';

/** What says in a token which object of the pool has given it out. */
export const poolPrefix = (index: number): string => `${index}.`;

export function poolIndexOf(token: unknown, size: number): number | undefined {
  const index = typeof token === 'string' ? /^(\d{1,4})\./.exec(token)?.[1] : undefined;
  return index !== undefined && Number(index) < size ? Number(index) : undefined;
}

/** An object of the class by its name. */
export const agentIn = (agents: DurableObjectNamespace, name: string): Agent =>
  agents.get(agents.idFromName(name)) as unknown as Agent;
