/** One call to make on every target, with where it comes from. Pure. */
import type { Call } from '../../../src/parity/run-table.ts';
import type { InputKind } from '../generate/inputs.ts';

export type Source = 'generated' | 'listed' | 'recorded' | 'scenario';

export interface Case {
  /** For example `search#17`; the seed and this name make the same call again. */
  readonly id: string;
  /** What the counts, the noise and the allowed differences go by: a tool, or `prompt x`, `resource x`, `scenario x`. */
  readonly group: string;
  readonly source: Source;
  readonly kind?: InputKind;
  readonly call: Call;
}

/** What a call is counted under, whichever source it comes from. */
export function groupOf({ method, params }: Call): string {
  const named = params?.['name'] ?? params?.['uri'];
  if (typeof named !== 'string') return method;
  if (method === 'tools/call') return named;
  return `${method === 'prompts/get' ? 'prompt' : method === 'resources/read' ? 'resource' : method} ${named}`;
}
