/** What prompts, resources and templates may not be. One deviation from the valid definition a test. */
import { describe, it } from 'vitest';
import { z } from 'zod';
import { prompt, refusal, resource, template } from '../support/valid-definition.ts';

const onePrompt = (change: Record<string, unknown>): string => refusal({ prompts: [prompt(change)] });
const oneResource = (change: Record<string, unknown>): string => refusal({ resources: [resource(change)] });
const oneTemplate = (change: Record<string, unknown>): string => refusal({ templates: [template(change)] });

describe('definitions of prompts', () => {
  it('an argument with a default is refused', ({ expect }) => {
    expect(onePrompt({ args: z.object({ tone: z.string().default('plain') }) })).toBe(
      'The prompt "greet" gives its argument "tone" a default. SDK v1 lists it as required and SDK v2 as optional: use .optional() and choose the default in messages().',
    );
  });

  it.for([
    ['a number', z.number()],
    ['a coerced number', z.coerce.number()],
    ['a list', z.array(z.string())],
    ['an object', z.object({})],
    ['a text or nothing', z.string().nullable()],
    ['a choice of numbers', z.literal([1, 2])],
  ] as const)('an argument that is %s is refused', ([, schema], { expect }) => {
    expect(onePrompt({ args: z.object({ many: schema }) })).toBe(
      'The prompt "greet" has the argument "many" that is not a string. Prompt arguments are strings on the wire: use z.string(), z.enum(…) or z.literal(…).',
    );
  });

  it('arguments of text, choices and constants are fine', ({ expect }) => {
    const args = z.object({ a: z.string().optional(), b: z.enum(['x', 'y']), c: z.literal('z') });
    expect(onePrompt({ args })).toBe('built: look, count');
  });

  it('arguments that are no object are refused', ({ expect }) => {
    expect(onePrompt({ args: z.string() })).toBe(
      'The prompt "greet" has an argument schema that is not a plain object at its root. The lanes list a union, array or primitive root differently: wrap it in an object, for example { value: … }.',
    );
  });

  it('a completer for an argument that it does not have is refused', ({ expect }) => {
    expect(onePrompt({ complete: { tone: () => [] } })).toBe(
      'The prompt "greet" completes "tone", which it does not have. It has: who.',
    );
  });

  it('an unknown key, a bad name, a second of the same name and no messages are refused', ({ expect }) => {
    expect(onePrompt({ annotations: {} })).toBe(
      'The prompt "greet" has the key "annotations", which no lane serves the same way. Remove it. Known keys: name, title, description, args, complete, icons, _meta, visible, scopes, enabled, messages.',
    );
    expect(onePrompt({ name: 'constructor' })).toBe(
      'The prompt "constructor" has the name of a property that every object has. SDK registries find it even where it is not registered: choose another.',
    );
    expect(refusal({ prompts: [prompt(), prompt()] })).toBe(
      'The prompt "greet" is defined twice. Give each its own name.',
    );
    expect(onePrompt({ messages: undefined })).toBe(
      'The prompt "greet" has no function "messages". Every request for it would fail: write one.',
    );
  });
});

describe('definitions of resources', () => {
  it('a cache hint is refused', ({ expect }) => {
    expect(oneResource({ cacheHint: { ttlMs: 5000 } })).toBe(
      'The resource "text" has the key "cacheHint", which no lane serves the same way. Remove it. Known keys: name, title, description, mimeType, annotations, icons, _meta, visible, scopes, enabled, uri, size, read.',
    );
  });

  it.for(['not a uri', 'HTTP://Example.com/', 'https://example.com', 'https://example.com/a b'])(
    'the URI "%s" is refused',
    (uri, { expect }) => {
      expect(oneResource({ uri })).toBe(
        `The resource "text" has the URI "${uri}", which is not in its normal form. Clients and SDKs compare URIs after parsing: write it as new URL(uri).toString() gives it.`,
      );
    },
  );

  it('two resources of one URI and one without read are refused', ({ expect }) => {
    expect(refusal({ resources: [resource(), resource({ name: 'other' })] })).toBe(
      'The resource "test://static/text" is defined twice. Give each its own name.',
    );
    expect(oneResource({ read: undefined })).toBe(
      'The resource "text" has no function "read". Every request for it would fail: write one.',
    );
  });

  it.for([
    'test://items',
    'test://{a}{b}',
    'test://{a}/{a}',
    'test://{+path}',
    'test://{?q}',
    'test://{a',
    'test://{a,b}',
  ])('the template "%s" is refused', (uriTemplate, { expect }) => {
    expect(oneTemplate({ uriTemplate })).toBe(
      `The resource template "items" has the URI template "${uriTemplate}", which is not of level 1. Use literal text and {name} variables only, at least one, each name once, with text between them.`,
    );
  });

  it('a completer for a variable that the template does not have is refused', ({ expect }) => {
    expect(oneTemplate({ complete: { name: () => [] } })).toBe(
      'The resource template "items" completes "name", which it does not have. It has: id.',
    );
  });

  it('a template with an unknown key, without read or defined twice is refused', ({ expect }) => {
    expect(oneTemplate({ cacheHint: {} })).toBe(
      'The resource template "items" has the key "cacheHint", which no lane serves the same way. Remove it. Known keys: name, title, description, mimeType, annotations, icons, _meta, visible, scopes, enabled, uriTemplate, list, complete, read.',
    );
    expect(oneTemplate({ read: undefined })).toBe(
      'The resource template "items" has no function "read". Every request for it would fail: write one.',
    );
    expect(refusal({ templates: [template(), template()] })).toBe(
      'The resource template "test://items/{id}" is defined twice. Give each its own name.',
    );
  });
});
