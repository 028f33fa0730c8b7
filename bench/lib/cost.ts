/** The cost model: usage of one call times prices, for a million calls. Pure. */
import * as v from 'valibot';

const PER_CALL = ['requests', 'cpuMs', 'objectRequests', 'rowsRead', 'rowsWritten'] as const;

export const Prices = v.object({
  perMillion: v.object({
    requests: v.number(),
    cpuMs: v.number(),
    objectRequests: v.number(),
    objectGbSeconds: v.number(),
    rowsRead: v.number(),
    rowsWritten: v.number(),
  }),
  objectMemoryGb: v.number(),
});

const LaneUsage = v.object({
  requests: v.number(),
  cpuMs: v.number(),
  objectRequests: v.number(),
  /** How long an object is awake, in milliseconds. */
  activeMs: v.number(),
  rowsRead: v.number(),
  rowsWritten: v.number(),
  /** How many calls of tools the figures are for. */
  calls: v.optional(v.number(), 1),
});

export const Usage = v.object({
  lanes: v.record(v.string(), LaneUsage),
  background: v.object({
    objectRequestsPerIsolateSecond: v.number(),
    rowsWrittenPerIsolateSecond: v.number(),
    callsPerIsolateSecond: v.number(),
  }),
});

/** What does not grow with the calls, shared out over the calls of an isolate. */
function withBackground(usage: v.InferOutput<typeof LaneUsage>, { background }: v.InferOutput<typeof Usage>) {
  const seconds = usage.requests / background.callsPerIsolateSecond;
  return {
    ...usage,
    objectRequests: usage.objectRequests + seconds * background.objectRequestsPerIsolateSecond,
    rowsWritten: usage.rowsWritten + seconds * background.rowsWrittenPerIsolateSecond,
  };
}

/** A Markdown table, a row a lane: the usage of a million calls in millions of units, and its price. */
export function costTable(usage: v.InferOutput<typeof Usage>, prices: v.InferOutput<typeof Prices>): string {
  const head = [
    '1,000,000 calls',
    'requests',
    'CPU s',
    'object requests',
    'object GB-s',
    'rows read',
    'rows written',
    'price',
  ];
  const rows = Object.entries(usage.lanes).map(([lane, figures]) => {
    const { calls, activeMs, ...one } = withBackground(figures, usage);
    const gbSeconds = (activeMs / 1000) * prices.objectMemoryGb;
    const price =
      (PER_CALL.reduce((sum, unit) => sum + one[unit] * prices.perMillion[unit], 0) +
        gbSeconds * prices.perMillion.objectGbSeconds) /
      calls;
    const millions = (value: number): string => `${(value / calls).toFixed(2)} M`;
    return [
      lane,
      millions(one.requests),
      String(Math.round((one.cpuMs * 1000) / calls)),
      millions(one.objectRequests),
      String(Math.round((gbSeconds * 1e6) / calls)),
      millions(one.rowsRead),
      millions(one.rowsWritten),
      `$${price.toFixed(2)}`,
    ];
  });
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
