/** The surface of the shipped catalogue: what a model reads before it calls anything. */
import { describe, it } from 'vitest';
import { deskCatalogue } from '../../../examples/desk/catalogue.ts';
import { isPlainObject } from '../../../src/shared/json.ts';

const { listed } = deskCatalogue;

/** Every described or undescribed member of a schema, with its path, at any depth. */
function membersOf(schema: unknown, path: string): (readonly [string, unknown])[] {
  if (!isPlainObject(schema)) return [];
  const own = isPlainObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  const inItems = membersOf(schema['items'], `${path}[]`);
  const inMembers = own.flatMap(([name, member]) => {
    const description = isPlainObject(member) ? member['description'] : undefined;
    return [[`${path}.${name}`, description] as const, ...membersOf(member, `${path}.${name}`)];
  });
  return [...inItems, ...inMembers];
}

describe('the desk catalogue', () => {
  it('lists exactly these tools in this order', ({ expect }) => {
    expect(listed.tools.map((tool) => tool['name'])).toEqual([
      'add',
      'ping',
      'search',
      'lookup',
      'readDocument',
      'qrCode',
      'incrementCounter',
      'getCounter',
      'resetCounter',
    ]);
  });

  it('lists one prompt, one resource and one template', ({ expect }) => {
    expect(listed.prompts.map((prompt) => prompt['name'])).toEqual(['summarizeDocument']);
    expect(listed.resources.map((resource) => resource['uri'])).toEqual(['docs://desk/index']);
    expect(listed.templates.map((template) => template['uriTemplate'])).toEqual(['docs://desk/documents/{id}']);
    expect(deskCatalogue.completes).toBe(true);
  });

  it('introduces itself', ({ expect }) => {
    expect(deskCatalogue.info).toEqual({ name: 'hybrid-mcp-desk', title: 'Documentation desk', version: '0.1.0' });
    expect(deskCatalogue.instructions.length).toBeLessThan(600);
    for (const tool of ['search', 'readDocument', 'lookup']) expect(deskCatalogue.instructions).toContain(tool);
  });

  it('describes every parameter and every member of every output', ({ expect }) => {
    const members = listed.tools.flatMap((tool) => [
      ...membersOf(tool['inputSchema'], `${String(tool['name'])} input`),
      ...membersOf(tool['outputSchema'], `${String(tool['name'])} output`),
    ]);
    expect(members.length).toBe(37);
    expect(members.filter(([, description]) => typeof description !== 'string' || description.length < 6)).toEqual([]);
  });

  it('says all four hints of each tool truthfully', ({ expect }) => {
    const hints = listed.tools.map((tool) => {
      const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = tool['annotations'] as Record<
        string,
        boolean
      >;
      return [tool['name'], readOnlyHint, destructiveHint, idempotentHint, openWorldHint];
    });
    expect(hints).toEqual([
      ['add', true, false, true, false],
      ['ping', true, false, true, false],
      ['search', true, false, true, false],
      ['lookup', true, false, true, false],
      ['readDocument', true, false, true, false],
      ['qrCode', true, false, true, false],
      ['incrementCounter', false, false, false, false],
      ['getCounter', true, false, true, false],
      ['resetCounter', false, true, true, false],
    ]);
  });

  it('lists an output schema for each tool that replies with structured content', ({ expect }) => {
    expect(listed.tools.filter((tool) => tool['outputSchema'] === undefined).map((tool) => tool['name'])).toEqual([
      'readDocument',
      'qrCode',
    ]);
  });

  it('lists a Valibot schema like a Zod one', ({ expect }) => {
    expect(listed.tools[3]?.['inputSchema']).toEqual({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        id: {
          type: 'string',
          minLength: 1,
          description: 'Id of the person: p- and three digits, from p-001 to p-008.',
        },
      },
      required: ['id'],
    });
  });

  it('names in a description only tools that there are', ({ expect }) => {
    const names = new Set(deskCatalogue.tools.keys());
    const mentioned = listed.tools.flatMap(
      (tool) => String(tool['description']).match(/\b[a-z]+[A-Z][A-Za-z]+\b/g) ?? [],
    );
    expect(mentioned.length).toBeGreaterThan(0);
    expect(mentioned.filter((name) => !names.has(name))).toEqual([]);
  });
});
