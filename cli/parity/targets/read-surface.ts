/** Asks a server for everything it lists, page by page. Does not judge it. */
import { isPlainObject, type JsonObject } from '../../../src/shared/json.ts';
import type { Surface } from '../../../src/parity/surface/listing.ts';
import type { Connection } from './connect.ts';
import { WireFault } from './wire.ts';

/** More pages than any real listing has: a cursor that never ends is a flood. */
const MAX_PAGES = 1_000;

/** @throws WireFault when a listing that the server declares cannot be had. */
export async function readSurface(connection: Connection): Promise<Surface> {
  const { capabilities, info, instructions } = connection.server;
  const list = (capability: string, method: string, key: string, id: string): Promise<readonly JsonObject[]> =>
    capability in capabilities ? pages(connection, method, key, id) : Promise.resolve([]);
  return {
    serverInfo: info,
    capabilities,
    instructions,
    tools: await list('tools', 'tools/list', 'tools', 'name'),
    prompts: await list('prompts', 'prompts/list', 'prompts', 'name'),
    resources: await list('resources', 'resources/list', 'resources', 'uri'),
    resourceTemplates: await list('resources', 'resources/templates/list', 'resourceTemplates', 'uriTemplate'),
  };
}

async function pages(connection: Connection, method: string, key: string, id: string): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { saw, fault } = await connection.ask({ method, ...(cursor !== undefined && { params: { cursor } }) });
    if (saw.kind === 'harness_error') throw new WireFault(fault ?? 'garbage', `${method}: ${saw.cause}`);
    if (saw.kind === 'error') {
      // Templates are optional even where resources are not.
      if (method === 'resources/templates/list' && saw.error['code'] === -32601) return [];
      throw new WireFault('broken_listing', `${method} was answered with the error ${JSON.stringify(saw.error)}`);
    }
    const entries = saw.result[key];
    if (!Array.isArray(entries)) throw new WireFault('broken_listing', `${method} gave no list of ${key}`);
    for (const entry of entries as readonly unknown[]) {
      if (!isPlainObject(entry) || typeof entry[id] !== 'string')
        throw new WireFault(
          'broken_listing',
          `${method} lists an entry without ${id}: ${JSON.stringify(entry).slice(0, 120)}`,
        );
      found.push(entry as JsonObject);
    }
    const next = saw.result['nextCursor'];
    if (typeof next !== 'string') return found;
    cursor = next;
  }
  throw new WireFault('flood', `${method} gave more than ${MAX_PAGES} pages`);
}
