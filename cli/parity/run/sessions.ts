/** What sessions of their own are opened with, for calls that may leave something behind. Pure. */
import type { Limits } from '../targets/open.ts';
import type { Target } from '../targets/target.ts';
import type { RunOptions } from './options.ts';
import type { Session } from './session.ts';

/** No call may reach a server twice, and a session that is lost is not opened again behind what it held. */
export const once = (limits: Limits): Limits => ({ ...limits, reuseConnections: false });

/** Only those that could be opened at the start: one that could not has been told already. */
export const targetsOf = ({ candidates }: RunOptions, { candidates: opened }: Session): readonly Target[] =>
  candidates.filter((target) => opened.some((each) => each.target.name === target.name));
