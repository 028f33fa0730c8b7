/** Schemas as data, so that a random one can be drawn, printed, built with Zod and given values. Pure. */
import { z } from 'zod';
import type { Json } from 'hybrid-mcp/define';

export type Spec =
  | { readonly kind: 'string'; readonly min: number; readonly max: number }
  | { readonly kind: 'number' }
  | { readonly kind: 'int'; readonly min: number; readonly max: number }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'enum'; readonly of: readonly string[] }
  | { readonly kind: 'literal'; readonly value: string | number | boolean }
  | { readonly kind: 'nullable'; readonly item: Spec }
  | { readonly kind: 'union'; readonly of: readonly Spec[] }
  | { readonly kind: 'array'; readonly item: Spec; readonly max: number }
  | { readonly kind: 'tuple'; readonly items: readonly Spec[] }
  | { readonly kind: 'record'; readonly value: Spec }
  | ObjectSpec;

export interface ObjectSpec {
  readonly kind: 'object';
  readonly members: readonly Member[];
}

export interface Member {
  readonly name: string;
  readonly spec: Spec;
  readonly need: 'required' | 'optional' | 'default';
}

export function toZodObject({ members }: ObjectSpec): z.ZodObject {
  return z.object(Object.fromEntries(members.map((member) => [member.name, toZodMember(member)])));
}

function toZodMember({ spec, need }: Member): z.ZodType {
  const schema = toZod(spec);
  if (need === 'required') return schema;
  return need === 'optional' ? schema.optional() : schema.default(() => smallest(spec));
}

function toZod(spec: Spec): z.ZodType {
  switch (spec.kind) {
    case 'string':
      return z.string().min(spec.min).max(spec.max);
    case 'number':
      return z.number();
    case 'int':
      return z.number().int().min(spec.min).max(spec.max);
    case 'boolean':
      return z.boolean();
    case 'enum':
      return z.enum(spec.of);
    case 'literal':
      return z.literal(spec.value);
    case 'nullable':
      return toZod(spec.item).nullable();
    case 'union':
      return z.union(spec.of.map(toZod));
    case 'array':
      return z.array(toZod(spec.item)).max(spec.max);
    case 'tuple':
      return z.tuple(spec.items.map(toZod) as [z.ZodType, ...z.ZodType[]]);
    case 'record':
      return z.record(z.string(), toZod(spec.value));
    case 'object':
      return toZodObject(spec);
  }
}

/** One value that the schema gives. As a default it is taken as it is, so the defaults inside of it are in it. */
export function smallest(spec: Spec): Json {
  switch (spec.kind) {
    case 'string':
      return 'x'.repeat(spec.min);
    case 'number':
      return 0;
    case 'int':
      return spec.min;
    case 'boolean':
      return false;
    case 'enum':
      return spec.of[0] ?? '';
    case 'literal':
      return spec.value;
    case 'nullable':
      return null;
    case 'union':
      return smallest(spec.of[0] ?? { kind: 'boolean' });
    case 'array':
      return [];
    case 'tuple':
      return spec.items.map(smallest);
    case 'record':
      return {};
    case 'object':
      return Object.fromEntries(
        spec.members.filter(({ need }) => need !== 'optional').map(({ name, spec }) => [name, smallest(spec)]),
      );
  }
}
