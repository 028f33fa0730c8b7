/**
 * The runs of the official conformance suite: which requirement set each lane is held to, and what may fail there, with
 * the reason. A scenario that fails otherwise than its row says, or that no longer fails, fails the run.
 */
import type { Revision, ScenarioResult } from './conformance.ts';

export interface AllowedFailure {
  readonly scenario: string;
  /** The ids of the checks that fail, sorted; every other check must pass. `any` where nothing of it is offered. */
  readonly checks: readonly string[] | 'any';
  readonly why: string;
}

export interface ConformanceRun {
  /**
   * The lane that is held to the requirements; `kept` is /mcp where clients that need a session are given one. The last
   * three are a class of one's own: as the agents package serves it, with its import changed, and hosted.
   */
  readonly lane: 'legacy' | 'compat' | 'modern' | 'kept' | 'plain' | 'wrapped' | 'hosted';
  readonly path: string;
  readonly revision: Revision;
  /** Variables of the Worker for this run; it gets a server of its own. */
  readonly vars?: Readonly<Record<string, string>>;
  /** How many scenarios there are: a suite that ran less fails. */
  readonly required: number;
  readonly unscored: number;
  /** Of what the revision requires. */
  readonly allowed: readonly AllowedFailure[];
  /** Of what the suite runs for information only. */
  readonly allowedUnscored: readonly AllowedFailure[];
}

const NO_CHANNEL =
  'A 2025 client of a server without sessions has no stream on which a request to it could be answered: the tool answers with an error that names the way out.';
const NO_PRIMING: AllowedFailure = {
  scenario: 'server-sse-polling',
  checks: ['server-sse-priming-event', 'server-sse-retry-field'],
  why: 'Two recommendations for clients that poll: no lane starts a stream with an empty event, or says when to come back. The call itself is answered.',
};

const ENDED_IS_SERVED: AllowedFailure = {
  scenario: 'server-session-lifecycle',
  checks: ['server-session-terminated-returns-404'],
  why: 'A session that has ended is served on /mcp like a call without one, and not refused: large clients do not initialize again after a 404.',
};

const TASKS: readonly AllowedFailure[] = [
  'tasks-capability-negotiation',
  'tasks-dispatch-and-envelope',
  'tasks-lifecycle',
  'tasks-mrtr-composition',
  'tasks-mrtr-input',
  'tasks-request-headers',
  'tasks-request-state-removal',
  'tasks-required-task-error',
  'tasks-status-notifications',
  'tasks-wire-fields',
].map((scenario) => ({ scenario, checks: 'any', why: 'The tasks extension is optional, and not offered.' }));

export const CONFORMANCE_RUNS: readonly ConformanceRun[] = [
  {
    lane: 'modern',
    path: '/mcp',
    revision: '2026-07-28',
    required: 37,
    unscored: 13,
    allowed: [],
    allowedUnscored: [
      ...TASKS,
      {
        scenario: 'json-schema-2020-12',
        checks: [
          'sep-2106-anchor-keyword-preserved',
          'sep-2106-composition-keywords-preserved',
          'sep-2106-conditional-keywords-preserved',
        ],
        why: 'A catalogue refuses allOf at the root of an input schema, as it does every root that is not a plain object, so the tool that the scenario looks for cannot be defined in full.',
      },
      {
        scenario: 'http-custom-header-server-validation',
        checks: 'any',
        why: 'A catalogue refuses x-mcp-header: only the modern lane could enforce it.',
      },
    ],
  },
  {
    lane: 'legacy',
    path: '/legacy/mcp',
    revision: '2025-11-25',
    required: 30,
    unscored: 3,
    allowed: [],
    allowedUnscored: [NO_PRIMING],
  },
  {
    lane: 'compat',
    path: '/mcp',
    revision: '2025-11-25',
    required: 30,
    unscored: 3,
    allowed: [
      { scenario: 'tools-call-sampling', checks: ['tools-call-sampling'], why: NO_CHANNEL },
      { scenario: 'tools-call-elicitation', checks: ['tools-call-elicitation'], why: NO_CHANNEL },
      { scenario: 'elicitation-sep1034-defaults', checks: ['elicitation-sep1034-general'], why: NO_CHANNEL },
      { scenario: 'elicitation-sep1330-enums', checks: ['elicitation-sep1330-general'], why: NO_CHANNEL },
    ],
    allowedUnscored: [NO_PRIMING, ENDED_IS_SERVED],
  },
  {
    lane: 'kept',
    path: '/mcp',
    revision: '2025-11-25',
    vars: { KEEP_SESSIONS: 'on' },
    required: 30,
    unscored: 3,
    allowed: [],
    allowedUnscored: [NO_PRIMING, ENDED_IS_SERVED],
  },
];

const NO_HOST_CHECK: AllowedFailure = {
  scenario: 'dns-rebinding-protection',
  checks: ['localhost-host-rebinding-rejected'],
  why: 'The agents package checks no Host header, and what stands in front of a class is the application’s.',
};
const NO_SUCH_TOOL: AllowedFailure = {
  scenario: 'json-schema-2020-12',
  checks: ['json-schema-2020-12-tool-found'],
  why: 'SDK v1 writes the schemas of its tools in another dialect, so the class has no such tool.',
};

const NO_SUCH_HEADER: AllowedFailure = {
  scenario: 'http-custom-header-server-validation',
  checks: 'any',
  why: 'SDK v1 knows no x-mcp-header, so no tool of the class has one.',
};

const HOSTED: readonly AllowedFailure[] = [
  ...(
    [
      ['input-required-result-basic-elicitation', 'sep-2322-elicitation-incomplete'],
      ['input-required-result-ignore-extra-params', 'sep-2322-ignore-unexpected-params'],
    ] as const
  ).map(([scenario, check]) => ({
    scenario,
    checks: [check],
    why: 'The scenario wants the key "user_name". In SDK v1 a question has no key, so it is given one: q1, q2 and so on.',
  })),
  {
    scenario: 'sep-2164-resource-not-found',
    checks: ['sep-2164-data-uri'],
    why: 'The error is the class’s own, which SDK v1 makes without the URI that the newer protocol recommends.',
  },
  {
    scenario: 'server-stateless',
    checks: [
      'sep-2575-server-sends-prompts-list-changed-on-subscription',
      'sep-2575-server-sends-tools-list-changed-on-subscription',
    ],
    why: 'Both are recommendations: the class has no tools that change its lists.',
  },
];

/** A class of one's own: what the plain class fails, the wrapped one may fail, and nothing else. */
export const OWN_AGENT_RUNS: readonly ConformanceRun[] = [
  {
    lane: 'hosted',
    path: '/hosted',
    revision: '2026-07-28',
    required: 37,
    unscored: 13,
    allowed: [NO_HOST_CHECK, ...HOSTED],
    allowedUnscored: [...TASKS, NO_SUCH_TOOL, NO_SUCH_HEADER],
  },
  ...(['plain', 'wrapped'] as const).map((lane): ConformanceRun => ({
    lane,
    path: `/${lane}`,
    revision: '2025-11-25',
    required: 30,
    unscored: 3,
    allowed: [NO_HOST_CHECK],
    allowedUnscored: [NO_PRIMING, NO_SUCH_TOOL],
  })),
];

/** What a scenario did that its row, or the lack of one, does not allow; undefined where all is as it should be. */
export function verdictOn(result: ScenarioResult | undefined, row: AllowedFailure | undefined): string | undefined {
  if (result === undefined) return 'did not run';
  if (row === undefined) return result.failed.length === 0 ? undefined : result.messages.join('\n');
  if (result.failed.length === 0) return 'no longer fails: remove its row';
  if (row.checks === 'any' || row.checks.join() === result.failed.join()) return undefined;
  return `fails otherwise than its row says: ${result.messages.join('\n')}`;
}
