/** The settings of the session layer for an agent, from what its class and its environment say. */
import { platformOf } from '../legacy/package-internals.ts';
import type { SessionAgentOptions } from '../legacy/session/options.ts';
import { reportSdk } from '../shared/pipeline/report.ts';
import { isPlainObject } from '../shared/json.ts';
import { consoleReporter as report } from '../state/log.ts';
import { optionsOf, ownAgentSettings } from './options.ts';

export function agentSettings(agent: object): SessionAgentOptions {
  const { subjectOf, idleMs } = ownAgentSettings(optionsOf(agent.constructor), platformOf(agent).env);
  return {
    subjectOf: (props) => (isPlainObject(props) ? subjectOf(props) : undefined),
    ...(idleMs !== undefined && { idleMs }),
    onError: (cause) => reportSdk(report, cause),
  };
}
