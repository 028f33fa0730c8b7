/** The fixture catalogue alone as a Worker: what the fuzzer attacks. Never deployed. */
import { createHybrid } from 'hybrid-mcp';
import { legacyLane } from 'hybrid-mcp/legacy';
import { fixtureCatalogue } from '../fixture/catalogue.ts';

/** Below the fuzzer's CALL_STREAM_MS: no tool may run for longer than the stream that answers it. */
const LONGEST_MS = 5_500;
const tools = new Map(
  [...fixtureCatalogue.tools].map(([name, tool]) => [
    name,
    tool.deadlineMs === undefined ? tool : { ...tool, deadlineMs: Math.min(tool.deadlineMs, LONGEST_MS) },
  ]),
);
const catalogue = { ...fixtureCatalogue, tools };

const hybrid = createHybrid({
  catalogue,
  legacy: legacyLane(),
});

export class StateObject extends hybrid.StateObject {}
export class LegacyAgent extends hybrid.LegacyAgent {}

export default hybrid.handler satisfies ExportedHandler<Env>;
