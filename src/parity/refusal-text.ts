/** Why a certificate is refused, in words, each with what to do about it. Pure. */
import type { Refusal } from './certificate.ts';

const AGAIN = 'Run the comparison again.';

export function refusalText(refusal: Refusal): string {
  switch (refusal.reason) {
    case 'unreadable':
      return `It is no parity certificate: ${refusal.problem}. Name the file that mcp-parity run --certificate wrote.`;
    case 'earlier_format':
      return `It is of an earlier form (${refusal.format}), which does not say what succeeded or which lanes were compared. ${AGAIN}`;
    case 'not_signed':
      return 'It is not signed, or the key that would show it is not at hand. Put the key into MCP_PARITY_KEY, for the comparison and here.';
    case 'edited':
      return {
        signature: `Its signature does not fit: it was edited, or signed with another key. ${AGAIN}`,
        table: `The table beside it is not the one that it was made from. Put the right file there, or run the comparison again.`,
        counts: `Its counts are not those of its table: it was edited. ${AGAIN}`,
      }[refusal.what];
    case 'no_table':
      return `It is not signed, and its table ${refusal.file} is not there, so nothing shows its counts. Put the table beside it, or name it with --table.`;
    case 'not_equal':
      return 'The run that it certifies found differences or could not ask everything. Mend what its report names.';
    case 'too_old':
      return `It is ${(refusal.ageMs / 3_600_000).toFixed(1)} hours old. ${AGAIN}`;
    case 'from_the_future':
      return `Its date is in the future. Set the clock of this machine or of the one that compared.`;
    case 'itself':
      return 'It compares a deployment with itself, which proves nothing. Name two addresses, lanes or eras that differ.';
    case 'other_step':
      return `It is for ${refusal.step === undefined ? 'no step' : `the step "${refusal.step}"`}, and this is "${refusal.demanded}". Compare for this one, with --step "${refusal.demanded}".`;
    case 'other_lanes':
      return `It compares ${refusal.were}, and this step moves clients from ${refusal.demanded}. Compare these two lanes, both with --control-era 2025 --candidate-era 2025.`;
    case 'other_address':
      return `Its ${refusal.side} is at ${refusal.address}, and this is about ${refusal.origin}. Compare the deployment that is to change.`;
    case 'other_catalogue':
      return `The ${refusal.side} now lists another catalogue than the one compared. ${AGAIN}`;
    case 'other_version':
      return `The ${refusal.side} is now ${refusal.is}, and ${refusal.was} was compared. ${AGAIN}`;
    case 'nothing_compared':
      return 'No tool was compared. "Not compared" in the report says why.';
    case 'not_compared':
      return `Not compared: ${refusal.tools.join(', ')}. Call them with --allow-writes, or name them with --exempt.`;
    case 'never_succeeded':
      return `Never succeeded on the control: ${refusal.tools.join(', ')}. Give calls that do with --examples, or name them with --exempt.`;
    case 'too_few_succeeded':
      return `${refusal.tool}: ${refusal.succeeded} distinct inputs succeeded on the control, and ${refusal.needed} are needed. Compare with more --cases, give calls that succeed with --examples, or, if it knows no more, ask for fewer with --min-succeeded ${refusal.needed},${refusal.tool}=${refusal.succeeded}.`;
    case 'bound_too_high':
      return `${refusal.tool}: the mismatch rate can still be ${(refusal.upperBound95 * 100).toFixed(2)} % (95 % bound). Compare with more --cases.`;
  }
}
