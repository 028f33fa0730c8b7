/** Why a run made no call at all, for who asked for one. Pure. */
import type { RunOptions } from './options.ts';
import { isSelected } from '../cases/safety.ts';

type Asked = Pick<RunOptions, 'just' | 'cases' | 'selection'>;

/**
 * @param tools The names of the tools that the control lists.
 * @param notCompared What was left out, and why.
 */
export function nothingAsked(
  { just, cases, selection }: Asked,
  tools: readonly string[],
  notCompared: readonly { readonly group: string; readonly reason: string }[],
): string {
  const listed = `The control lists ${tools.length === 0 ? 'no tools' : tools.join(', ')}`;
  if (just !== undefined && 'caseId' in just) {
    const { caseId } = just;
    const tool = caseId.replace(/#[^#]*$/, '');
    if (!tools.includes(tool)) return `--case ${caseId} is of no tool there is. ${listed}`;
    const left = notCompared.find(({ group }) => group === tool);
    if (left !== undefined) return `--case ${caseId} was not asked: ${left.reason}`;
    return `--case ${caseId} is not among the generated calls of ${tool}. Give the --cases (here ${cases}) and the --seed of the run that it comes from`;
  }
  const { only, skip } = selection;
  if (only.length + skip.length > 0 && !tools.some((name) => isSelected(name, selection))) {
    const flags = [
      ...(only.length === 0 ? [] : [`--only ${only.join(',')}`]),
      ...(skip.length === 0 ? [] : [`--skip ${skip.join(',')}`]),
    ];
    return `nothing is left by ${flags.join(' ')}. ${listed}`;
  }
  if (cases === 0) return '--cases 0 generates no call, and nothing recorded or scripted was asked';
  return 'no call could be made. "Not compared" says why, tool by tool';
}
