/** Recorded calls, one JSON object a line, read as they are needed: a file of any size takes the memory of one line. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { isPlainObject, type JsonObject } from '../../../src/shared/json.ts';
import type { Call } from '../../../src/parity/run-table.ts';
import { groupOf, type Case } from './case.ts';

/** The file is no recording, with the line. */
export class BadRecording extends Error {
  override readonly name = 'BadRecording';
}

/**
 * Reads as far as the first call.
 * @throws BadRecording where that already shows that the file cannot be used.
 */
export async function checkRecording(file: string): Promise<void> {
  const remedy = 'Give a file with one recorded call a line.';
  try {
    if ((await stat(file)).isDirectory()) throw new BadRecording(`--recorded ${file} is a directory. ${remedy}`);
    for await (const _first of recordedCases(file)) return;
  } catch (thrown) {
    if (thrown instanceof BadRecording) throw thrown;
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new BadRecording(`--recorded ${file} could not be read: ${why}. ${remedy}`);
  }
}

/**
 * Takes `{"method","params"}`, which a JSON-RPC log holds, or `{"tool","arguments"}`. Notifications and answers in a log
 * are passed over.
 * @throws BadRecording for a line that is neither.
 */
export async function* recordedCases(file: string): AsyncGenerator<Case> {
  const lines = createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity });
  let at = 0;
  let calls = 0;
  for await (const line of lines) {
    at += 1;
    if (line.trim() === '') continue;
    const call = callIn(line, `${file}:${at}`);
    if (call === undefined) continue;
    calls += 1;
    yield { id: `${file}:${at}`, group: groupOf(call), source: 'recorded', call };
  }
  if (calls === 0) throw new BadRecording(`${file} holds no call`);
}

const HANDSHAKE = new Set(['initialize', 'server/discover', 'ping']);

function callIn(line: string, place: string): Call | undefined {
  let entry: unknown;
  try {
    entry = JSON.parse(line);
  } catch {
    throw new BadRecording(`${place} is no JSON`);
  }
  if (!isPlainObject(entry)) throw new BadRecording(`${place} is no object`);
  const { tool, method, params } = entry;
  if (typeof tool === 'string')
    return { method: 'tools/call', params: { name: tool, arguments: (entry['arguments'] ?? {}) as JsonObject } };
  if (typeof method === 'string') {
    if (method.startsWith('notifications/') || HANDSHAKE.has(method)) return undefined;
    if (params !== undefined && !isPlainObject(params))
      throw new BadRecording(`${place} has params that are no object`);
    // The envelope of the recorded era is not part of the call.
    const { _meta, ...rest } = params ?? {};
    return { method, params: rest as JsonObject };
  }
  if ('result' in entry || 'error' in entry) return undefined;
  throw new BadRecording(`${place} has neither "tool" nor "method"`);
}
