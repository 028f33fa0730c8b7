/** Compares the control's surface with each candidate's, and says which changes fail the run. Pure. */
import type { AllowedDifferences } from '../../../src/parity/allowed.ts';
import { compareSurface } from '../../../src/parity/surface/compare-surface.ts';
import { envelopeDifference } from '../../../src/parity/envelope.ts';
import { CHANGE_CLASSES, type SurfaceFinding } from '../../../src/parity/surface/listing.ts';
import type { Seen } from './make-report.ts';
import type { RunOptions } from './options.ts';
import type { RunReport } from './report.ts';

export function compareSurfaces(
  { control, candidates, failOn }: RunOptions,
  { surfaces, envelope }: Pick<Seen, 'surfaces' | 'envelope'>,
  allowed: AllowedDifferences,
): RunReport['surface'] {
  const left = surfaces.get(control.name);
  if (left === undefined) return [];
  return candidates.flatMap(({ name }) => {
    const right = surfaces.get(name);
    if (right === undefined) return [];
    return [...owedBy(name, envelope), ...compareSurface(left, right)].map((finding) => {
      const row = allowed.explain(finding.where, name, finding);
      const counts = CHANGE_CLASSES.indexOf(finding.class) <= CHANGE_CLASSES.indexOf(failOn);
      return {
        ...finding,
        target: name,
        fails: counts && row === undefined,
        ...(row !== undefined && { allowed: row.id }),
      };
    });
  });
}

/** A client of its era throws at such a listing, so nothing in it reaches anybody. */
function owedBy(name: string, envelope: Seen['envelope']): readonly SurfaceFinding[] {
  return envelope
    .filter(({ target }) => target === name)
    .flatMap(({ era, method, faults }) =>
      faults.map((fault) => ({
        where: method,
        class: 'breaking' as const,
        why: 'clients refuse what lacks this',
        ...envelopeDifference(era, fault),
      })),
    );
}
