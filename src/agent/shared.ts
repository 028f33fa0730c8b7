/** What every served path, the operator API and the agents of an isolate have in common. */
import { createCensus } from '../cutover/census/collect.ts';
import { createCutover } from '../cutover/cutover.ts';
import { reportUnavailable } from '../shared/pipeline/report.ts';
import { consoleReporter as report } from '../state/log.ts';
import { OWN_AGENT_ROUTES } from './environment.ts';

/** One per isolate: an operator who asks sees what any path of the isolate has just counted. */
export const census = createCensus({ onError: (cause) => reportUnavailable(report, cause) });

export const cutover = createCutover(report, OWN_AGENT_ROUTES);
