/**
 * Calls that are known to succeed, which the generated ones are varied from: a file that somebody wrote by hand, or the
 * beginning of a recording. YAML or JSON holds `tool: [arguments, …]` or a list of calls; NDJSON holds one call a line.
 */
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import type { Call } from '../../../src/parity/run-table.ts';
import { isPlainObject, type JsonObject } from '../../../src/shared/json.ts';
import { UsageError } from '../config.ts';
import { recordedCases } from './recorded.ts';

/** @throws UsageError for a file that holds no calls. */
export async function readExamples(files: readonly string[]): Promise<readonly Call[]> {
  const read = await Promise.all(files.map(callsIn));
  return read.flat();
}

async function callsIn(file: string): Promise<readonly Call[]> {
  if (/\.(?:jsonl|ndjson)$/.test(file)) return recordedIn(file);
  let value: unknown;
  try {
    value = parse(await readFile(file, 'utf8'));
  } catch (thrown) {
    throw new UsageError(`--examples ${file}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
  const calls = Array.isArray(value) ? value.map((each) => callOf(each, file)) : byTool(value, file);
  if (calls.length === 0) throw new UsageError(`--examples ${file} holds no call. ${FORM}`);
  return calls;
}

const FORM = 'Write a tool and a list of its arguments, such as "search: [{ query: session }]".';

function byTool(value: unknown, file: string): readonly Call[] {
  if (!isPlainObject(value)) throw new UsageError(`--examples ${file} holds no calls. ${FORM}`);
  return Object.entries(value).flatMap(([name, given]) =>
    (Array.isArray(given) ? given : [given]).map((each: unknown): Call => {
      if (!isPlainObject(each))
        throw new UsageError(`--examples ${file}: ${name} has arguments that are no object. ${FORM}`);
      return { method: 'tools/call', params: { name, arguments: each as JsonObject } };
    }),
  );
}

function callOf(value: unknown, file: string): Call {
  if (isPlainObject(value) && typeof value['tool'] === 'string')
    return {
      method: 'tools/call',
      params: { name: value['tool'], arguments: (value['arguments'] ?? {}) as JsonObject },
    };
  throw new UsageError(`--examples ${file}: an entry of the list has no "tool". ${FORM}`);
}

/** More would only crowd out what is varied from them. */
const MOST_RECORDED = 1_000;

/** The calls of tools at the beginning of a recording. */
export async function recordedIn(file: string): Promise<readonly Call[]> {
  const calls: Call[] = [];
  for await (const { call } of recordedCases(file)) {
    if (call.method === 'tools/call') calls.push(call);
    if (calls.length >= MOST_RECORDED) break;
  }
  return calls;
}
