/** How large a rate may still be when so many of so many were seen: the exact one-sided bound (Clopper-Pearson). Pure. */

const CONFIDENCE = 0.95;

/**
 * The upper end of the mismatch rate that is compatible, at 95 %, with `mismatches` among `trials` independent inputs.
 * 1 when nothing was tried. For no mismatch it is about 3 / trials.
 */
export function upperBound(mismatches: number, trials: number): number {
  if (trials <= 0 || mismatches >= trials) return 1;
  if (mismatches === 0) return 1 - (1 - CONFIDENCE) ** (1 / trials);
  let [low, high] = [mismatches / trials, 1];
  // Sixty halvings are as exact as a double is.
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (atMost(mismatches, trials, middle) > 1 - CONFIDENCE) low = middle;
    else high = middle;
  }
  return high;
}

/** Probability of at most `mismatches` in `trials` at a rate, summed in logarithms so that nothing underflows. */
function atMost(mismatches: number, trials: number, rate: number): number {
  if (rate >= 1) return 0;
  let term = trials * Math.log1p(-rate);
  let sum = Math.exp(term);
  for (let k = 1; k <= mismatches; k += 1) {
    term += Math.log((trials - k + 1) / k) + Math.log(rate) - Math.log1p(-rate);
    sum += Math.exp(term);
  }
  return sum;
}
