/** The certificate of a finished run, one for each candidate, before it is signed. Pure. */
import { CERTIFICATE_FORMAT, certifiedTool, isItself, type Certificate } from '../../../src/parity/certificate.ts';
import type { SanitizeRules } from '../../../src/parity/sanitize.ts';
import type { ToolCounts } from '../../../src/parity/verdict-table.ts';
import type { RunReport, TargetReport } from '../run/report.ts';

export type Certified =
  | { readonly ok: true; readonly certificate: Certificate }
  | { readonly ok: false; readonly why: string };

export interface Proof {
  /** What the table says of this candidate. */
  readonly counts: readonly ToolCounts[];
  readonly table: Certificate['table'];
  readonly sanitize: SanitizeRules;
  readonly step?: string;
}

/** A run that could not look is no ground for a certificate; one that found differences is, and says so. */
export function certify(report: RunReport, candidateName: string, { counts, table, sanitize, step }: Proof): Certified {
  const candidate = report.candidates.find(({ name }) => name === candidateName);
  if (report.aborted !== undefined) return { ok: false, why: `the run ended early: ${report.aborted}` };
  const [left, right] = [
    certifiedTarget(report.control),
    candidate === undefined ? undefined : certifiedTarget(candidate),
  ];
  if (left === undefined || right === undefined) return { ok: false, why: 'a target was not opened' };
  if (isItself(left, right))
    return { ok: false, why: 'it is the control itself, and that it equals itself proves nothing' };
  if (counts.length === 0) return { ok: false, why: 'no tool was compared' };
  const tools = counts.map((each) => {
    const group = report.groups.find((one) => one.tool && one.group === each.tool);
    return certifiedTool(each, {
      ...(group?.validInputs !== undefined && { validInputs: group.validInputs }),
      noisyPaths: group?.noisyPaths ?? [],
    });
  });
  const certificate: Certificate = {
    format: CERTIFICATE_FORMAT,
    date: report.startedAt,
    seed: report.seed,
    ...(step !== undefined && { step }),
    equal: report.exitCode === 0,
    control: left,
    candidate: right,
    tools,
    notCompared: report.notCompared.map(({ group, reason }) => ({ tool: group, reason })),
    noisyTools: report.noisy.map(({ group }) => group),
    allowed: Object.keys(report.allowed.fired),
    sanitized: [...sanitize.names, ...sanitize.paths.map(({ tool = '*', path, as }) => `${tool}:${path}=${as}`)],
    table,
  };
  return { ok: true, certificate };
}

function certifiedTarget(target: TargetReport): Certificate['control'] | undefined {
  const { name, address, era, protocol, server, catalogueSha256, lane, differsBy = [] } = target;
  if (era === undefined || catalogueSha256 === undefined) return undefined;
  const version = server === undefined ? 'unknown' : `${server.name} ${server.version}`;
  return {
    name,
    address,
    era,
    protocol: protocol ?? 'unknown',
    version,
    catalogueSha256,
    ...(lane !== undefined && { lane }),
    differsBy: [...differsBy],
  };
}
