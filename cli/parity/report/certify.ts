/** The certificate of a finished run, one for each candidate. Pure. */
import { certifiedTool, type Certificate } from '../../../src/parity/certificate.ts';
import type { RunReport, TargetReport } from '../run/report.ts';

export type Certified =
  | { readonly ok: true; readonly certificate: Certificate }
  | { readonly ok: false; readonly why: string };

/** A run that could not look is no ground for a certificate; one that found differences is, and says so. */
export function certify(report: RunReport, candidateName: string): Certified {
  const candidate = report.candidates.find(({ name }) => name === candidateName);
  if (report.aborted !== undefined) return { ok: false, why: `the run ended early: ${report.aborted}` };
  const [left, right] = [
    certifiedTarget(report.control),
    candidate === undefined ? undefined : certifiedTarget(candidate),
  ];
  if (left === undefined || right === undefined) return { ok: false, why: 'a target was not opened' };
  const tools = report.groups
    .filter(({ tool }) => tool)
    .map(({ group, calls, distinctInputs, candidates, noisyPaths }) => {
      const counts = candidates.find(({ name }) => name === candidateName)?.counts;
      // What could not be asked was not compared, and must not lower the bound.
      const unasked = counts?.harness_error ?? calls;
      return certifiedTool({
        tool: group,
        calls: calls - unasked,
        distinctInputs: Math.max(0, distinctInputs - unasked),
        mismatches: counts?.mismatch ?? 0,
        noisyPaths: [...noisyPaths],
      });
    });
  if (tools.length === 0) return { ok: false, why: 'no tool was compared' };
  const certificate: Certificate = {
    format: 'mcp-parity-certificate/1',
    date: report.startedAt,
    seed: report.seed,
    equal: report.exitCode === 0,
    control: left,
    candidate: right,
    tools,
    notCompared: report.notCompared.map(({ group, reason }) => ({ tool: group, reason })),
    noisyTools: report.noisy.map(({ group }) => group),
    allowed: Object.keys(report.allowed.fired),
  };
  return { ok: true, certificate };
}

function certifiedTarget({
  name,
  address,
  era,
  protocol,
  server,
  catalogueSha256,
}: TargetReport): Certificate['control'] | undefined {
  if (era === undefined || catalogueSha256 === undefined) return undefined;
  const version = server === undefined ? 'unknown' : `${server.name} ${server.version}`;
  return { name, address, era, protocol: protocol ?? 'unknown', version, catalogueSha256 };
}
