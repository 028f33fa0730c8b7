/** Cases from what the control lists: generated calls of tools, and one read of each resource and prompt. Pure. */
import { objectIn, textOf, type Surface } from '../../../src/parity/surface/listing.ts';
import type { Json, JsonObject } from '../../../src/shared/json.ts';
import { hintsIn, hintsOfSurface } from '../generate/hints.ts';
import { inputsOf, seedFor, type Draw } from '../generate/inputs.ts';
import type { Validate } from '../../../src/parity/own-listing.ts';
import type { Case } from './case.ts';

export type ToolCases =
  | { readonly ok: true; readonly cases: readonly Case[] }
  | { readonly ok: false; readonly why: string };

/** @param draw The seed is the run's: each tool gets its own from it. */
export function toolCases(tool: JsonObject, validate: Validate, surface: Surface, draw: Draw): ToolCases {
  const name = textOf(tool['name']);
  const isValid = (value: Json): boolean => validate(value) === undefined;
  const made = inputsOf(objectIn(tool['inputSchema']), isValid, {
    ...draw,
    seed: seedFor(draw.seed, name),
    hints: hintsOf(tool, surface, draw),
  });
  if (!made.ok) return made;
  const cases = made.inputs.map(({ kind, value }, at): Case => ({
    id: `${name}#${at + 1}`,
    group: name,
    source: 'generated',
    kind,
    call: { method: 'tools/call', params: { name, arguments: value } },
  }));
  return { ok: true, cases };
}

/** What was learned of the tool, what it says itself, and what the server lists. */
export const hintsOf = (
  tool: JsonObject,
  surface: Pick<Surface, 'resources'>,
  { hints = [] }: Draw,
): readonly string[] => [...hints, ...hintsIn(tool['description']), ...hintsOfSurface(surface)];

/** More are not read: a server may list thousands, and the first ones show whether reading is the same. */
const MOST_LISTED = 50;

/** Reading a resource or getting a prompt changes nothing, so each is asked once, and once for what is not there. */
export function listedCases({ resources, prompts, capabilities }: Surface): readonly Case[] {
  const read = resources
    .slice(0, MOST_LISTED)
    .map(({ uri = '' }): Case => listed('resources/read', `resource ${textOf(uri)}`, { uri }));
  const got = prompts.slice(0, MOST_LISTED).flatMap((prompt): readonly Case[] => {
    const name = textOf(prompt['name']);
    const args = (Array.isArray(prompt['arguments']) ? prompt['arguments'] : []) as readonly Json[];
    const given = Object.fromEntries(args.map((each) => [textOf(objectIn(each)['name']), 'a']));
    return [
      listed('prompts/get', `prompt ${name}`, { name, arguments: given }),
      listed('prompts/get', `prompt ${name}`, { name, arguments: {} }, 'without arguments'),
    ];
  });
  const missing = [
    ...('tools' in capabilities ? [listed('tools/call', 'unknown tool', { name: 'no-such-tool', arguments: {} })] : []),
    ...('prompts' in capabilities ? [listed('prompts/get', 'unknown prompt', { name: 'no-such-prompt' })] : []),
    ...('resources' in capabilities
      ? [listed('resources/read', 'unknown resource', { uri: 'none://no-such-resource' })]
      : []),
    listed('no/such-method', 'unknown method', {}),
  ];
  return [...read, ...got, ...missing];
}

const listed = (method: string, group: string, params: JsonObject, remark?: string): Case => ({
  id: remark === undefined ? group : `${group} ${remark}`,
  group,
  source: 'listed',
  call: { method, params },
});
