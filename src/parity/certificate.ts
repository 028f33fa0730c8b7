/**
 * What a comparison proved, as a file that a later step can demand: which two deployments and lanes, for which step, and
 * for each tool how much succeeded on the control and how high the rate of mismatches can still be. Reading one never
 * trusts more than it says. Pure: the time, the key's verdict and what runs now are arguments.
 */
import * as v from 'valibot';
import { NO_ANSWERS } from './answer-kind.ts';
import { upperBound } from './bound.ts';
import type { ToolCounts } from './verdict-table.ts';

export const CERTIFICATE_FORMAT = 'mcp-parity-certificate/2';

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));
const Text = v.pipe(v.string(), v.nonEmpty());
const Digest = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
const Answers = v.object({ result: Count, error: Count, refusal: Count, unfinished: Count });

const CertifiedTool = v.object({
  tool: Text,
  calls: Count,
  distinctInputs: Count,
  /** Distinct inputs that succeeded on the control: only these are proof. */
  succeeded: Count,
  /** How many valid inputs there are, where the schema has few. */
  validInputs: v.optional(Count),
  mismatches: Count,
  upperBound95: v.pipe(v.number(), v.minValue(0), v.maxValue(1)),
  control: Answers,
  candidate: Answers,
  noisyPaths: v.array(v.string()),
});
const CertifiedTarget = v.object({
  name: Text,
  address: Text,
  era: v.picklist(['2025', '2026']),
  protocol: v.string(),
  /** The name and the version by which the server calls itself. */
  version: v.string(),
  catalogueSha256: Digest,
  /** Which lane answered, where the server says it in `Server-Timing`. */
  lane: v.optional(Text),
  /** Names of headers and variables that only one of the two targets was given, or another value of. */
  differsBy: v.array(Text),
});
export type CertifiedTarget = v.InferOutput<typeof CertifiedTarget>;

export const Certificate = v.object({
  format: v.literal(CERTIFICATE_FORMAT),
  date: v.pipe(v.string(), v.isoTimestamp()),
  seed: v.number(),
  /** What it is for, such as `legacy stateless`. */
  step: v.optional(Text),
  /** True only when every tool was asked, nothing differed and nothing failed to be asked. */
  equal: v.boolean(),
  control: CertifiedTarget,
  candidate: CertifiedTarget,
  tools: v.array(CertifiedTool),
  /** Listed tools that were not called, each with why. */
  notCompared: v.array(v.object({ tool: Text, reason: Text })),
  noisyTools: v.array(Text),
  allowed: v.array(Text),
  /** Forms and places that were taken out of every answer. */
  sanitized: v.array(Text),
  /** The verdicts that the counts are made of. */
  table: v.object({ file: Text, lines: Count, sha256: Digest }),
  signature: v.optional(v.object({ algorithm: v.literal('HMAC-SHA256'), value: Digest })),
});
export type Certificate = v.InferOutput<typeof Certificate>;
export type CertifiedTool = v.InferOutput<typeof CertifiedTool>;

/** What a tool's schema and the noise say, beside the counts. */
export interface Known {
  readonly validInputs?: number | undefined;
  readonly noisyPaths: readonly string[];
}

/** The bound counts distinct inputs that succeeded: an error on both sides says nothing of what the tool does. */
export function certifiedTool(counts: ToolCounts, { validInputs, noisyPaths }: Known): CertifiedTool {
  const { succeeded, mismatches } = counts;
  const whole = validInputs !== undefined && succeeded >= validInputs && mismatches === 0 && succeeded > 0;
  return {
    ...counts,
    ...(validInputs !== undefined && { validInputs }),
    // Where every valid input was asked, none is left that could differ.
    upperBound95: whole ? 0 : upperBound(Math.min(mismatches, succeeded), succeeded),
    noisyPaths: [...noisyPaths],
  };
}

/** How many distinct inputs of a tool must have succeeded on the control. */
export interface Least {
  readonly usual: number;
  /** For tools that know only a few things, by name. */
  readonly of: Readonly<Record<string, number>>;
}

/** Where nobody demands another number. Without a mismatch the rate can then still be 14 % at most. */
export const USUAL_LEAST: Least = { usual: 20, of: {} };

/** Reads `20` or `20,lookup=8`; undefined for what is neither. */
export function readLeast(text: string): Least | undefined {
  const of: Record<string, number> = {};
  let { usual } = USUAL_LEAST;
  for (const part of text.split(',')) {
    const [, tool, number = ''] = /^\s*(?:(.+)=)?([1-9]\d{0,6})\s*$/.exec(part) ?? [];
    if (number === '') return undefined;
    if (tool === undefined) usual = Number(number);
    else of[tool] = Number(number);
  }
  return { usual, of };
}

/** What the address of a side answers now. */
export interface Now {
  readonly version: string;
  readonly catalogueSha256: string;
  readonly lane?: string;
}

export interface Demand {
  readonly now: Date;
  readonly maxAgeMs: number;
  readonly least: Least;
  /** The highest bound that any tool may have, where that is demanded beside the numbers. */
  readonly maxUpperBound?: number;
  /** `unsigned` where no key is at hand or none was used. */
  readonly signature: 'good' | 'bad' | 'unsigned';
  /** Whether a certificate that nobody signed is taken. */
  readonly takesUnsigned: boolean;
  /** The step that it has to be for. */
  readonly step?: string;
  /** The lanes that the step moves clients between. */
  readonly lanes?: { readonly control: string; readonly candidate: string };
  /** Where both have to be, as `https://host`. */
  readonly origin?: string;
  /** What was counted in the table beside it; missing where the table is not there. */
  readonly recounted?: readonly ToolCounts[] | 'other_file';
  /** What the two addresses answer now; a side that was not asked is missing. */
  readonly running?: { readonly control?: Now; readonly candidate?: Now };
  /** Tools that need not have been called, such as those that write. */
  readonly exempt?: readonly string[];
}

type Side = 'control' | 'candidate';
export type Refusal =
  | { readonly reason: 'unreadable'; readonly problem: string }
  | { readonly reason: 'earlier_format'; readonly format: string }
  | { readonly reason: 'not_signed' }
  | { readonly reason: 'edited'; readonly what: 'signature' | 'table' | 'counts' }
  | { readonly reason: 'no_table'; readonly file: string }
  | { readonly reason: 'not_equal' }
  | { readonly reason: 'too_old'; readonly ageMs: number }
  | { readonly reason: 'from_the_future' }
  | { readonly reason: 'itself' }
  | { readonly reason: 'other_step'; readonly step: string | undefined; readonly demanded: string }
  | { readonly reason: 'other_lanes'; readonly were: string; readonly demanded: string }
  | { readonly reason: 'other_address'; readonly side: Side; readonly address: string; readonly origin: string }
  | { readonly reason: 'other_catalogue'; readonly side: Side }
  | { readonly reason: 'other_version'; readonly side: Side; readonly was: string; readonly is: string }
  | { readonly reason: 'nothing_compared' }
  | { readonly reason: 'not_compared'; readonly tools: readonly string[] }
  | { readonly reason: 'never_succeeded'; readonly tools: readonly string[] }
  | { readonly reason: 'too_few_succeeded'; readonly tool: string; readonly succeeded: number; readonly needed: number }
  | { readonly reason: 'bound_too_high'; readonly tool: string; readonly upperBound95: number };

/** Why a certificate does not meet a demand; nothing when it does. */
export function checkCertificate(file: unknown, demand: Demand): readonly Refusal[] {
  const format = formatOf(file);
  if (format !== undefined && format !== CERTIFICATE_FORMAT && /^mcp-parity-certificate\/\d+$/.test(format))
    return [{ reason: 'earlier_format', format }];
  const read = v.safeParse(Certificate, file);
  if (!read.success) return [{ reason: 'unreadable', problem: v.summarize(read.issues) }];
  const certificate = read.output;
  return [
    ...originRefusals(certificate, demand),
    ...bindingRefusals(certificate, demand),
    ...toolRefusals(certificate, demand),
  ];
}

const formatOf = (file: unknown): string | undefined =>
  typeof file === 'object' && file !== null && 'format' in file && typeof file.format === 'string'
    ? file.format
    : undefined;

/** Whether it is what the run wrote. */
function originRefusals({ tools, table }: Certificate, demand: Demand): Refusal[] {
  const { signature, takesUnsigned, recounted } = demand;
  if (signature === 'bad') return [{ reason: 'edited', what: 'signature' }];
  if (signature === 'unsigned' && !takesUnsigned) return [{ reason: 'not_signed' }];
  if (recounted === 'other_file') return [{ reason: 'edited', what: 'table' }];
  if (recounted === undefined) return signature === 'good' ? [] : [{ reason: 'no_table', file: table.file }];
  const asked = (counted: ToolCounts): string =>
    JSON.stringify([
      counted.tool,
      counted.calls,
      counted.distinctInputs,
      counted.succeeded,
      counted.mismatches,
      { ...NO_ANSWERS, ...counted.control },
      { ...NO_ANSWERS, ...counted.candidate },
    ]);
  const same =
    tools.length === recounted.length && recounted.every((each, at) => asked(each) === asked(tools[at] ?? each));
  const named = tools.every(({ tool }, at) => recounted[at]?.tool === tool);
  return same && named ? [] : [{ reason: 'edited', what: 'counts' }];
}

/** Whether it speaks of what is to happen, and of what runs. */
function bindingRefusals({ date, equal, step, control, candidate }: Certificate, demand: Demand): Refusal[] {
  const refusals: Refusal[] = [];
  if (!equal) refusals.push({ reason: 'not_equal' });
  const ageMs = demand.now.getTime() - Date.parse(date);
  if (ageMs < 0) refusals.push({ reason: 'from_the_future' });
  if (ageMs > demand.maxAgeMs) refusals.push({ reason: 'too_old', ageMs });
  if (isItself(control, candidate)) refusals.push({ reason: 'itself' });
  if (demand.step !== undefined && demand.step !== step)
    refusals.push({ reason: 'other_step', step, demanded: demand.step });
  const { lanes, origin } = demand;
  if (lanes !== undefined && (lanes.control !== control.lane || lanes.candidate !== candidate.lane)) {
    const said = (lane: string | undefined): string => lane ?? 'a lane that it does not name';
    const [were, demanded] = [
      `${said(control.lane)} with ${said(candidate.lane)}`,
      `${lanes.control} to ${lanes.candidate}`,
    ];
    refusals.push({ reason: 'other_lanes', were, demanded });
  }
  for (const [side, target] of [
    ['control', control],
    ['candidate', candidate],
  ] as const) {
    if (origin !== undefined && originOf(target.address) !== originOf(origin))
      refusals.push({ reason: 'other_address', side, address: target.address, origin });
    const is = demand.running?.[side];
    if (is === undefined) continue;
    if (is.version !== target.version)
      refusals.push({ reason: 'other_version', side, was: target.version, is: is.version });
    // Each lane has a listing of its own: where another lane answers now, its listing says nothing of the one compared.
    if (is.lane === target.lane && is.catalogueSha256 !== target.catalogueSha256)
      refusals.push({ reason: 'other_catalogue', side });
  }
  return refusals;
}

function toolRefusals({ tools, notCompared }: Certificate, demand: Demand): Refusal[] {
  if (tools.length === 0) return [{ reason: 'nothing_compared' }];
  const refusals: Refusal[] = [];
  const isExempt = (tool: string): boolean => (demand.exempt ?? []).includes(tool);
  const missing = notCompared.map(({ tool }) => tool).filter((tool) => !isExempt(tool));
  if (missing.length > 0) refusals.push({ reason: 'not_compared', tools: missing });
  const judged = tools.filter(({ tool }) => !isExempt(tool));
  const never = judged.filter(({ succeeded }) => succeeded === 0).map(({ tool }) => tool);
  if (never.length > 0) refusals.push({ reason: 'never_succeeded', tools: never });
  for (const counted of judged) {
    const { tool, succeeded, validInputs } = counted;
    const asked = demand.least.of[tool] ?? demand.least.usual;
    const needed = Math.min(asked, validInputs ?? asked);
    // Computed again: the file may have been written by anybody.
    const { upperBound95 } = certifiedTool(counted, counted);
    if (succeeded === 0) continue;
    if (succeeded < needed) refusals.push({ reason: 'too_few_succeeded', tool, succeeded, needed });
    else if (upperBound95 > (demand.maxUpperBound ?? 1))
      refusals.push({ reason: 'bound_too_high', tool, upperBound95 });
  }
  return refusals;
}

/** One deployment, asked twice in the same way: that it equals itself proves nothing of the other. */
export function isItself(control: CertifiedTarget, candidate: CertifiedTarget): boolean {
  if (control.lane !== candidate.lane || control.era !== candidate.era || candidate.differsBy.length > 0) return false;
  return oneAddress(control.address) === oneAddress(candidate.address);
}

function originOf(address: string): string {
  const url = oneAddress(address).replace(/^sse:/, '');
  return URL.canParse(url) ? new URL(url).origin : url;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The same for every way to write one address. */
export function oneAddress(address: string): string {
  const [, scheme = '', rest = address] = /^(sse:)?(.*)$/s.exec(address) ?? [];
  if (!/^https?:/i.test(rest) || !URL.canParse(rest)) return address;
  const url = new URL(rest);
  const host = LOOPBACK.has(url.hostname) ? 'localhost' : url.hostname;
  return `${scheme}${url.protocol}//${host}:${url.port}${url.pathname.replace(/\/+$/, '')}${url.search}`;
}
