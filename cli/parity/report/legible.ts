/**
 * What servers say, as it may be shown: control characters, line breaks, bidirectional marks and everything else that a
 * reader would not see or a terminal would obey stand as their code points. Commands stay what they are, with the escapes
 * of JSON. Pure.
 */
import type { Difference } from '../../../src/parity/compare.ts';
import type { Json } from '../../../src/shared/json.ts';
import type { Failure, RunReport, TargetReport } from '../run/report.ts';

const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\uFFFE\uFFFF]/gu;
const codeOf = (letter: string): string => (letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');

/** For a text of one line. */
export const visible = (text: string): string => text.replaceAll(UNSEEN, (letter) => `⟨U+${codeOf(letter)}⟩`);

/** For JSON, and for commands that hold JSON: what they mean stays the same. */
export const visibleJson = (text: string): string =>
  text.replaceAll(UNSEEN, (letter) =>
    letter === '\n'
      ? letter
      : Array.from(
          { length: letter.length },
          (_each, at) => String.raw`\u${letter.charCodeAt(at).toString(16).padStart(4, '0')}`,
        ).join(''),
  );

const LONGEST_SIDE = 300;

/** @param longest How much of a long value is shown; the JSON report has all of it. */
export function shown(value: Json | undefined, longest = LONGEST_SIDE): string {
  if (value === undefined) return '(nothing)';
  const text = visibleJson(JSON.stringify(value));
  return text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text;
}

/** The report with every plain text visible. Values are left as they are: whoever prints JSON makes that visible. */
export function legible(report: RunReport): RunReport {
  const named = <Value>(map: Readonly<Record<string, Value>>): Record<string, Value> =>
    Object.fromEntries(Object.entries(map).map(([key, value]) => [visible(key), value]));
  const each = (list: readonly string[]): readonly string[] => list.map(visible);
  return {
    ...report,
    ...(report.aborted !== undefined && { aborted: visible(report.aborted) }),
    control: targetOf(report.control),
    candidates: report.candidates.map(targetOf),
    groups: report.groups.map((group) => ({
      ...group,
      group: visible(group.group),
      candidates: group.candidates.map(({ name, counts }) => ({ name: visible(name), counts })),
      noisyPaths: each(group.noisyPaths),
      answers: named(group.answers),
      times: named(group.times),
    })),
    surface: report.surface.map((finding) => ({
      ...finding,
      where: visible(finding.where),
      path: visible(finding.path),
      why: visible(finding.why),
      target: visible(finding.target),
    })),
    listing: report.listing.map((finding) => ({
      ...finding,
      target: visible(finding.target),
      tool: visible(finding.tool),
      text: visible(finding.text),
    })),
    failures: report.failures.map(failureOf),
    harnessErrors: report.harnessErrors.map((error) => ({
      ...error,
      target: visible(error.target),
      where: visible(error.where),
      cause: visible(error.cause),
    })),
    notCompared: report.notCompared.map(({ group, reason }) => ({ group: visible(group), reason: visible(reason) })),
    noisy: report.noisy.map(({ group, paths }) => ({ group: visible(group), paths: each(paths) })),
    allowed: { ...report.allowed, stale: each(report.allowed.stale), expired: each(report.allowed.expired) },
  };
}

function targetOf(target: TargetReport): TargetReport {
  const { name, address, protocol, server } = target;
  return {
    ...target,
    name: visible(name),
    address: visible(address),
    ...(protocol !== undefined && { protocol: visible(protocol) }),
    ...(server !== undefined && { server: { name: visible(server.name), version: visible(server.version) } }),
  };
}

function failureOf(failure: Failure): Failure {
  const placed = (differences: readonly Difference[]): readonly Difference[] =>
    differences.map((difference) => ({ ...difference, path: visible(difference.path) }));
  const { id, group, candidate, differences, minimal, help, note } = failure;
  return {
    ...failure,
    id: visible(id),
    group: visible(group),
    candidate: visible(candidate),
    differences: placed(differences),
    ...(minimal !== undefined && { minimal: { ...minimal, differences: placed(minimal.differences) } }),
    help: {
      replay: visibleJson(help.replay),
      controlRequest: visibleJson(help.controlRequest),
      candidateRequest: visibleJson(help.candidateRequest),
    },
    ...(note !== undefined && { note: visible(note) }),
  };
}
