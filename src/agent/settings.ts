/** The settings of the session layer for an agent, from what its class and its environment say. */
import { platformOf } from '../legacy/package-internals.ts';
import type { SessionAgentOptions } from '../legacy/session/options.ts';
import { reportSdk } from '../shared/pipeline/report.ts';
import { isPlainObject } from '../shared/json.ts';
import { consoleReporter as report } from '../state/log.ts';
import { optionsOf, ownAgentSettings } from './options.ts';
import { census } from './shared.ts';

export function agentSettings(agent: object): SessionAgentOptions {
  const { settings } = ownAgentSettings(optionsOf(agent.constructor), platformOf(agent).env);
  const { subjectOf, idleMs } = settings;
  return {
    subjectOf: (props) => (isPlainObject(props) ? subjectOf(props) : undefined),
    ...(idleMs !== undefined && { idleMs }),
    onSessionEnd: (env, sessionId) => census.sessionEnded(env, sessionId),
    onError: (cause) => reportSdk(report, cause),
  };
}
