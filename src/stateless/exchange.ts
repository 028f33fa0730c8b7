/** What the compat and the modern lane have in common for one request. */
import type { ServerContext } from '@modelcontextprotocol/server';
import type { World } from '../shared/define/context.ts';
import { isPlainObject, type Json } from '../shared/json.ts';
import type { CallPorts } from '../shared/pipeline/ports.ts';
import type { Reporter } from '../shared/pipeline/report.ts';
import type { StateCaller } from '../state/state-port.ts';
import type { StatelessCall } from './lane.ts';

export interface ExchangeBase {
  readonly world: World;
  readonly report: Reporter;
  readonly onError: (error: Error) => void;
  readonly call: StatelessCall;
  /** The name that log messages carry, the same as on the legacy lane. */
  readonly logger: string;
}

/** The ports that do not differ between the two lanes. */
export function commonPorts(base: ExchangeBase, ctx: ServerContext): Omit<CallPorts, 'ask' | 'state' | 'client'> {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  return {
    world: base.world,
    signal: ctx.mcpReq.signal,
    subject: base.call.subject,
    report: base.report,
    ...(progressToken !== undefined && {
      progress: (update) =>
        ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, ...update } }),
    }),
    log: (level, data: Json) => ctx.mcpReq.log(level, data, base.logger),
  };
}

/** The method of a body that is one message; undefined for a batch. */
export function methodOf(body: unknown): string | undefined {
  return isPlainObject(body) && typeof body['method'] === 'string' ? body['method'] : undefined;
}

/** Who the state's owner is told is calling. */
export const callerOf = ({ call: { subject } }: ExchangeBase): StateCaller =>
  subject === undefined ? {} : { subject };
