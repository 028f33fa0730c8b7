/** One side of a pair, as it is judged. Pure. */
import type { Side } from '../../../src/parity/judge.ts';
import type { Answer, Connection } from '../targets/connect.ts';

export const sideOf = ({ target, era }: Connection, { saw, envelope }: Answer): Side => ({
  target: target.name,
  era,
  saw,
  envelope,
});
