/**
 * The suites: `workerd` runs inside the Workers runtime with the shipped Worker, `contract` there with the fixture
 * catalogue, `node` runs pure code and reads sources, `e2e` starts real servers, `measured` does too and has the machine
 * to itself. A flaky test is a bug, so nothing is retried.
 */
import { availableParallelism } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { cloudflareTest } from '@cloudflare/vitest-plugin';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { drawTools } from './test/support/random/draw.ts';

/**
 * The tests start wrangler, the commands and their threads some hundred times, and most of a start is compiling: what Node
 * has compiled once is kept for the next.
 */
process.env['NODE_COMPILE_CACHE'] ??= path.join(import.meta.dirname, 'node_modules/.cache/compiled');

/** The property tests print their seed; `FC_SEED=… npm run test:contract` repeats a run, and FC_RUNS makes it longer. */
const seed = Number(process.env['FC_SEED'] ?? Math.trunc(Math.random() * 2 ** 31));
const drawn = {
  FC_SEED: String(seed),
  FC_RUNS: process.env['FC_RUNS'] ?? '300',
  // Drawn here and handed over as data, since only one of the test files has a use for the library that draws.
  RANDOM_TOOLS: JSON.stringify(drawTools(seed, 5)),
};

declare module 'vitest' {
  interface ProvidedContext {
    /** Steps of the model test of moving state. */
    stateSteps: number;
  }
}

/** Enough for every kind of step to meet every other; `npm run prove:state` takes many more. */
const STATE_STEPS = 250;

interface WorkerdFiles {
  readonly include: string[];
  readonly exclude?: string[];
  readonly isolate: boolean;
}

/** Files that count what a Worker has seen, so that they need one of their own. */
const ALONE = ['test/contract/census*.test.ts', 'test/contract/operator*.test.ts'];

/** Longer than `npm test` has time for; `npm run prove:runbook-start`, `npm run prove:sign-in` and `npm run prove:webmcp` run them. */
const PROOFS =
  process.env['PROOFS'] === 'all'
    ? []
    : ['test/e2e/runbook-start.test.ts', 'test/e2e/sign-in-whole.test.ts', 'test/e2e/webmcp-whole.test.ts'];

/** Files of `e2e` that compare times or weigh a process. */
const MEASURED = ['test/e2e/bench.test.ts', 'test/e2e/parity/memory.test.ts'];

/**
 * Files that take longest, the longest first: one that begins last is waited for alone. The runner itself orders by size
 * before it has seen a file run.
 */
const LONGEST = [
  'e2e/rehearsal',
  'e2e/removal',
  'e2e/parity/faults',
  'e2e/cutover-cli',
  'e2e/own-agent-walk',
  'e2e/parity/command',
  'e2e/parity/hostile',
  'e2e/kill',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return at === -1 ? LONGEST.length : at;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

/** The shipped Worker with both halves, which the shipped one may have no more. */
const DESK = 'test/desk/wrangler.toml';

/** Started servers and whole commands need longer than functions. */
const SERVERS = { testTimeout: 60_000, hookTimeout: 120_000, env: { DEV_SERVER_CONFIG: DESK } };

/**
 * They wait for most of their time: for a server to start, an alarm to come, a flag to be seen. So there is one more of
 * them at once than there are processors.
 */
const WAITING = { maxWorkers: availableParallelism() + 1, sequence: { groupOrder: 2 } };

/**
 * Tests inside workerd, next to the Worker of this configuration file. The files of a suite share a Worker, because each
 * new one compiles both SDKs first.
 */
function inWorkerd(name: string, configPath: string, files: WorkerdFiles): TestProjectInlineConfiguration {
  return {
    plugins: [
      cloudflareTest({
        wrangler: { configPath },
        // A line for each request would bury what a test has to say.
        miniflare: { bindings: { LOG_LEVEL: 'error', ...drawn } },
        remoteBindings: false,
      }),
    ],
    // The first request of a cold Worker compiles both SDKs, which takes seconds where the processor is shared.
    test: {
      name,
      ...files,
      testTimeout: 30_000,
      provide: { stateSteps: Number(process.env['STATE_STEPS'] ?? STATE_STEPS) },
      sequence: { groupOrder: 1 },
    },
  };
}

export default defineConfig({
  test: {
    passWithNoTests: false,
    retry: 0,
    // The default leaves one processor free, which on a small machine is half of them.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    // The servers of `e2e` would compete with the fast suites for the processor, so the groups run one after the other.
    // vitest moves group 0 to the end when there is one worker, so the numbers start at 1.
    projects: [
      inWorkerd('workerd', `./${DESK}`, { include: ['test/workerd/**/*.test.ts'], isolate: false }),
      inWorkerd('contract', './test/fixture/wrangler.toml', {
        include: ['test/contract/**/*.test.ts'],
        exclude: ALONE,
        isolate: false,
      }),
      inWorkerd('own-agent', './test/own-agent/wrangler.toml', {
        include: ['test/own-agent/**/*.test.ts'],
        isolate: false,
      }),
      inWorkerd('alone', './test/fixture/wrangler.toml', { include: ALONE, isolate: true }),
      {
        test: {
          name: 'node',
          include: ['test/node/**/*.test.ts'],
          // Some start commands, beside suites that need both processors.
          testTimeout: 30_000,
          hookTimeout: 30_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          exclude: [...MEASURED, ...PROOFS],
          ...SERVERS,
          ...WAITING,
        },
      },
      { test: { name: 'package', include: ['test/package/*.test.ts'], ...SERVERS, ...WAITING } },
      { test: { name: 'measured', include: MEASURED, ...SERVERS, sequence: { groupOrder: 3 } } },
    ],
  },
});
