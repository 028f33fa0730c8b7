/** A lane that answers `add` wrongly by one, to show that the comparison notices. Pure but for the lane it wraps. */
import { isPlainObject } from '../../src/shared/json.ts';
import type { ConnectedLane } from './clients.ts';

export function spoil(lane: ConnectedLane): ConnectedLane {
  return {
    ...lane,
    ask: async (call) => {
      const saw = await lane.ask(call);
      if (saw.kind !== 'result') return saw;
      const content = saw.result['structuredContent'];
      if (!isPlainObject(content) || typeof content['sum'] !== 'number') return saw;
      return { kind: 'result', result: { ...saw.result, structuredContent: { sum: content['sum'] + 1 } } };
    },
  };
}
