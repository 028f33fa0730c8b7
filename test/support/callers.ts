/** Lanes of the Worker that tells who calls, opened as a caller with the given properties of a sign-in. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import type { SessionAgentApi } from '../../src/state/transfer.ts';
import { callers } from '../fixture/callers.ts';
import { openLane, type Lane, type LaneName } from './wire.ts';

export const ORIGIN = 'http://localhost';

/** The properties of each request; a function is asked at every one. */
export type Props = object | (() => object) | undefined;

export const sendWith =
  (props: Props, to: Pick<typeof callers, 'fetch'> = callers) =>
  (request: Request): Promise<Response> => {
    const value: unknown = typeof props === 'function' ? (props as () => object)() : props;
    return to.fetch(request, env, Object.defineProperty(createExecutionContext(), 'props', { value }));
  };

export const openWith = (name: LaneName, props: Props, to?: Pick<typeof callers, 'fetch'>): Promise<Lane> =>
  openLane(name, { origin: ORIGIN, send: sendWith(props, to) });

/** The agent of a session on the legacy lane. */
export const callersAgent = ({ sessionId }: Lane): SessionAgentApi =>
  (env as unknown as { CALLERS_AGENT: { getByName(name: string): SessionAgentApi } }).CALLERS_AGENT.getByName(
    `streamable-http:${sessionId}`,
  );

export const ANN = {
  claims: { sub: 'ann' },
  scope: 'read write',
  client_id: 'editor',
  token: 'ann’s token',
  since: '2024-05-06',
  quota: '7',
};

/** The text of a block of a tool's answer. */
export async function textOf(lane: Lane, name: string, args: object = {}, block = 0): Promise<unknown> {
  const { answer } = await lane.request('tools/call', { name, arguments: args });
  return (answer?.result?.['content'] as readonly { text: string }[] | undefined)?.[block]?.text;
}
