/**
 * The flags' side of the operator's API. The command writes a flag with its own access to the flag source; here it claims
 * the flag, has the change written to the audit log before it is made, and says how it ended. So of several operators at
 * once, one is let through, and the log has every change with what was before and after.
 */
import * as v from 'valibot';
import type { By } from '../flag-record.ts';
import type { OperatorApi } from '../operator.ts';
import { ROUTE_KEYS } from '../stage.ts';
import { answer, given, refuse, type Problem, type Result } from './answer.ts';
import { count, line, who, why } from './body.ts';

const route = v.picklist(ROUTE_KEYS);
const claim = line(100);
const ramp = v.strictObject({ stage: line(100), percent: v.pipe(v.number(), v.minValue(0), v.maxValue(100)) });

export const FlagBody = v.variant('step', [
  v.strictObject({ step: v.literal('claim'), route, revision: count(0, Number.MAX_SAFE_INTEGER), who }),
  v.strictObject({
    step: v.literal('log'),
    route,
    claim,
    action: v.pipe(v.string(), v.regex(/^flag_[a-z_]{1,40}$/, 'must begin with flag_')),
    detail: v.record(line(100), v.unknown()),
    who,
    why,
  }),
  v.strictObject({
    step: v.literal('done'),
    route,
    claim,
    /** How the flag stands now; null if it was not written. */
    position: v.nullable(v.strictObject({ stage: line(100), ramp: v.optional(ramp) })),
    who,
  }),
]);
export type FlagStep = v.InferOutput<typeof FlagBody>;

export async function flagStep(step: FlagStep, operator: OperatorApi, by: By): Promise<Result<Response>> {
  switch (step.step) {
    case 'claim': {
      const claimed = await operator.claimFlag(step.route, step.revision, by);
      return claimed.ok ? given(answer({ claim: claimed.token })) : refuse(lost(step.route, claimed));
    }
    case 'log': {
      const { action, detail, why } = step;
      const isHeld = await operator.logFlag(step.route, step.claim, { ...by, action, detail: detail as never, why });
      return isHeld ? given(answer({ logged: true })) : refuse(CLAIM_LOST);
    }
    case 'done': {
      const { position } = step;
      const plain = position && {
        stage: position.stage,
        ...(position.ramp !== undefined && { ramp: position.ramp }),
      };
      await operator.finishFlag(step.route, step.claim, plain);
      return given(answer({ done: true }));
    }
  }
}

const CLAIM_LOST: Problem = {
  status: 409,
  code: 'claim_lost',
  message: 'The change took too long, and somebody else may have changed the flag meanwhile',
  remedy: 'Nothing of yours was written. Look with: npm run cutover -- status, and try again.',
};

function lost(
  route: string,
  claimed: Extract<Awaited<ReturnType<OperatorApi['claimFlag']>>, { readonly ok: false }>,
): Problem {
  return claimed.reason === 'busy'
    ? {
        status: 409,
        code: 'flag_busy',
        message: `${nameOf(claimed.by)} is changing the flag of the route ${route} since ${new Date(claimed.since).toISOString()}`,
        remedy: 'Nothing of yours was written. Look what comes of it with: npm run cutover -- status, and try again.',
      }
    : {
        status: 409,
        code: 'flag_changed',
        message: `The flag of the route ${route} was changed meanwhile${claimed.by === null ? '' : ` by ${nameOf(claimed.by)}`}`,
        remedy: 'Nothing of yours was written. Look with: npm run cutover -- status, and try again.',
      };
}

const nameOf = ({ who, said }: By): string => (said === undefined ? who : `${said} (${who})`);
