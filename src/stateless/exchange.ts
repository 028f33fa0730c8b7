/** One request on the compat or the modern lane: what both have in common, and what each fills in. */
import type { ServerContext } from '@modelcontextprotocol/server';
import type { World } from '../shared/define/context.ts';
import type { StatelessCall } from '../lane/contract.ts';
import type { Json } from '../shared/json.ts';
import type { CallPorts } from '../shared/pipeline/ports.ts';
import type { Reporter } from '../shared/pipeline/report.ts';
import type { Answer, Verdict } from '../shared/protocol/answered.ts';
import type { StateCaller, StateEnv } from '../state/state-port.ts';

/** Fills the pipeline's ports for one request on one lane, and says how questions leave it. */
export interface Exchange {
  readonly ports: (ctx: ServerContext) => CallPorts | Promise<CallPorts>;
  /** Turns questions into this lane's result. */
  readonly ask: (
    questions: Extract<Answer, { kind: 'questions' }>,
    ctx: ServerContext,
  ) => Promise<Readonly<Record<string, unknown>>>;
  /** The one method of the request; undefined for a batch. */
  readonly method: string | undefined;
  readonly onError: (error: Error) => void;
  readonly onVerdict: (verdict: Verdict) => void;
}

export interface ExchangeBase {
  readonly world: World;
  readonly report: Reporter;
  readonly onError: (error: Error) => void;
  readonly call: StatelessCall<StateEnv>;
  /** The path of the legacy lane, which can ask clients of the 2025 protocols. */
  readonly sessionsAt: string;
  /** The name that log messages carry, the same as on the legacy lane. */
  readonly logger: string;
}

/** The ports that do not differ between the two lanes. */
export function commonPorts(base: ExchangeBase, ctx: ServerContext): Omit<CallPorts, 'ask' | 'state' | 'client'> {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  return {
    world: base.world,
    signal: ctx.mcpReq.signal,
    subject: base.call.caller.subject,
    report: base.report,
    ...(progressToken !== undefined && {
      progress: (update) =>
        ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, ...update } }),
    }),
    log: (level, data: Json) => ctx.mcpReq.log(level, data, base.logger),
  };
}

/** Who the state's owner is told is calling. */
export const stateCaller = ({ call: { caller } }: ExchangeBase): StateCaller =>
  caller.subject === undefined ? {} : { subject: caller.subject };
