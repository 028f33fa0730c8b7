/** A batch as data points for Workers Analytics Engine, which keeps time series that the census itself does not. Pure. */
import type { Named } from './tables.ts';
import { OTHER } from './seen.ts';

/** The platform takes 250 points an invocation. */
const MAX_POINTS = 200;

/**
 * `index1` and `blob1` to `blob9`: client name, client name, version, era, protocol version, user agent family, route,
 * lane, reason, uses divided by commas. `double1`: calls. A batch with more rows has the rest in one point.
 */
export function pointsOf(rows: readonly Named[]): AnalyticsEngineDataPoint[] {
  const points = rows.slice(0, MAX_POINTS - 1).map((row) => ({
    // An index is 96 bytes at most; a name is 64 characters of up to three bytes.
    indexes: [row.client.name.slice(0, 32)],
    blobs: [
      row.client.name,
      row.client.version,
      row.era,
      row.protocolVersion,
      row.userAgent,
      row.route,
      row.lane,
      row.reason,
      Object.keys(row.uses).join(','),
    ],
    doubles: [row.calls],
  }));
  const rest = rows.slice(MAX_POINTS - 1);
  if (rest.length === 0) return points;
  const calls = rest.reduce((sum, row) => sum + row.calls, 0);
  return [...points, { indexes: [OTHER], blobs: [OTHER, '', '', '', OTHER, '', '', OTHER, ''], doubles: [calls] }];
}
