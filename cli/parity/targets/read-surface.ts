/** Asks a server for everything it lists, page by page. Does not judge it. */
import { isPlainObject, type JsonObject } from '../../../src/shared/json.ts';
import type { Surface } from '../../../src/parity/surface/listing.ts';
import type { EnvelopeFault } from '../../../src/parity/envelope.ts';
import type { Connection } from './connect.ts';
import type { Limits } from './open.ts';
import { excerpt, WireFault } from './wire.ts';

/** More pages than any real listing has: a cursor that never ends is a flood. */
const MAX_PAGES = 1_000;
const MAX_ENTRIES = 20_000;
/** Of everything that one server lists, as text. */
const MAX_LISTED_CHARACTERS = 16 * 1024 * 1024;

export interface ReadSurface {
  readonly surface: Surface;
  /** What the era requires of the listings and they do not have, by method, `initialize` and `server/discover` among them. */
  readonly envelope: readonly { readonly method: string; readonly faults: readonly EnvelopeFault[] }[];
}

/** @throws WireFault when a listing that the server declares cannot be had. */
export async function readSurface(
  connection: Connection,
  { connectTimeoutMs }: Pick<Limits, 'connectTimeoutMs'>,
): Promise<ReadSurface> {
  const { capabilities, info, instructions } = connection.server;
  const reading: Reading = {
    connection,
    until: performance.now() + connectTimeoutMs * PATIENCE,
    characters: 0,
    envelope: new Map(),
  };
  if (connection.envelope.length > 0)
    reading.envelope.set(connection.era === '2026' ? 'server/discover' : 'initialize', connection.envelope);
  const list = (capability: string, method: string, key: string, id: string): Promise<readonly JsonObject[]> =>
    capability in capabilities ? pages(reading, method, key, id) : Promise.resolve([]);
  const surface = {
    serverInfo: info,
    capabilities,
    instructions,
    tools: await list('tools', 'tools/list', 'tools', 'name'),
    prompts: await list('prompts', 'prompts/list', 'prompts', 'name'),
    resources: await list('resources', 'resources/list', 'resources', 'uri'),
    resourceTemplates: await list('resources', 'resources/templates/list', 'resourceTemplates', 'uriTemplate'),
  };
  return { surface, envelope: [...reading.envelope].map(([method, faults]) => ({ method, faults })) };
}

/** Everything that a server lists may take so many times as long as opening it. */
const PATIENCE = 4;

interface Reading {
  readonly connection: Connection;
  readonly until: number;
  characters: number;
  readonly envelope: Map<string, readonly EnvelopeFault[]>;
}

async function pages(reading: Reading, method: string, key: string, id: string): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const call = { method, ...(cursor !== undefined && { params: { cursor } }) };
    const { saw, fault, envelope = [] } = await reading.connection.ask(call);
    if (saw.kind === 'harness_error') throw new WireFault(fault ?? 'garbage', `${method}: ${saw.cause}`);
    if (saw.kind === 'error') {
      // Templates are optional even where resources are not.
      if (method === 'resources/templates/list' && saw.error['code'] === -32601) return [];
      throw new WireFault(
        'broken_listing',
        `${method} was answered with the error ${excerpt(JSON.stringify(saw.error))}`,
      );
    }
    const entries = saw.result[key];
    if (!Array.isArray(entries)) throw new WireFault('broken_listing', `${method} gave no list of ${key}`);
    if (envelope.length > 0) reading.envelope.set(method, envelope);
    reading.characters += JSON.stringify(entries).length;
    for (const entry of entries as readonly unknown[]) {
      if (!isPlainObject(entry) || typeof entry[id] !== 'string')
        throw new WireFault(
          'broken_listing',
          `${method} lists an entry without ${id}: ${excerpt(JSON.stringify(entry), 120)}`,
        );
      found.push(entry as JsonObject);
    }
    if (found.length > MAX_ENTRIES || reading.characters > MAX_LISTED_CHARACTERS)
      throw new WireFault(
        'flood',
        `${method} gave more than ${MAX_ENTRIES} entries or ${MAX_LISTED_CHARACTERS} characters`,
      );
    const next = saw.result['nextCursor'];
    if (typeof next !== 'string') return found;
    if (cursors.has(next))
      throw new WireFault(
        'flood',
        `${method} gives the cursor ${excerpt(next, 40)} again and so more than any number of pages`,
      );
    if (performance.now() > reading.until)
      throw new WireFault('no_answer', `${method} did not end within ${PATIENCE} times the time for opening`);
    cursors.add(next);
    cursor = next;
  }
  throw new WireFault('flood', `${method} gave more than ${MAX_PAGES} pages`);
}
