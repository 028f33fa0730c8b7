/**
 * The package `hybrid-mcp/contract`: proves in the tests of an application that all lanes of its Worker answer the same.
 * Needs no test runner, no SDK and no platform: it makes tests as values.
 */
export { callTool, laneTests, type LaneTest, type LaneTestsOptions } from './lane-tests.ts';
export { LaneTestError, type LaneCase, type LaneStep } from './run-case.ts';
export type { LaneCaller } from './callers.ts';
export {
  LANE_NAMES,
  openLane,
  type Lane,
  type LaneName,
  type Message,
  type Reply,
  type Send,
  type WireOptions,
  type WirePaths,
} from './wire.ts';
export type { Difference } from '../parity/difference.ts';
export type { KnownDifference } from '../parity/known.ts';
export type { Observation } from '../parity/observe.ts';
export type { SanitizerName } from '../parity/sanitize.ts';
