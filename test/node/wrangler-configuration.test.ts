/** A project's wrangler configuration is read in either of its formats, and what is neither is told with its place. */
import { describe, it } from 'vitest';
import { readConfiguration } from '../../scripts/lib/migrations.ts';

const TOML = `
name = "one"
[[durable_objects.bindings]]
name = "STATE"
class_name = "State"
[[migrations]]
tag = "v1"
new_sqlite_classes = ["State"]
`;
const JSONC = `
// A comment comes first.
{
  "name": "one",
  /* So do bindings. */
  "durable_objects": { "bindings": [{ "name": "STATE", "class_name": "State" }] },
  "migrations": [{ "tag": "v1", "new_sqlite_classes": ["State"] }],
}
`;
const EXPECTED = {
  ok: true,
  environments: [
    { name: '', bound: ['State'], declared: {}, migrations: [{ tag: 'v1', new_sqlite_classes: ['State'] }] },
  ],
};

describe('a wrangler configuration', () => {
  it.for([
    ['TOML', TOML],
    ['JSON with comments', JSONC],
  ] as const)('is read as %s', ([, text], { expect }) => {
    expect(readConfiguration(text)).toMatchObject(EXPECTED);
  });

  it.for([
    ['TOML', 'name = ', /^is no TOML: /],
    ['JSON', '{\n  "name": "one",\n  "main" "two"\n}', /^is no JSON: ColonExpected in line 3$/],
  ] as const)('that is no %s is refused', ([, text, problem], { expect }) => {
    expect(readConfiguration(text)).toMatchObject({ ok: false, problem: expect.stringMatching(problem) });
  });
});
