/** `ResourceTemplate` and `completable` for registrations that import no SDK, in the form of the SDKs' own. */
import { RegistrationError } from '../shared/catalogue/error.ts';
import { parseTemplate } from '../shared/catalogue/uri-template.ts';
import type { ListedResource } from '../shared/define/resource.ts';
import type { HandlerExtra } from './extra.ts';

/** Where both SDKs keep what completes an argument. */
export const COMPLETABLE = Symbol.for('mcp.completable');

/** Suggests values for what is typed so far. */
export type CompleteCallback<T = string> = (
  value: T,
  context?: { readonly arguments?: Record<string, string> },
) => readonly T[] | Promise<readonly T[]>;

/** What a template lists: its members. */
export type ListCallback = (
  extra: HandlerExtra,
) => { readonly resources: readonly ListedResource[] } | Promise<{ readonly resources: readonly ListedResource[] }>;

/** A template as both SDKs give it; the variables of a URI are a list where the template says so. */
export interface TemplateLike {
  readonly uriTemplate: {
    readonly variableNames: readonly string[];
    match(uri: string): Readonly<Record<string, string | readonly string[]>> | null;
    toString(): string;
  };
  readonly listCallback: unknown;
  completeCallback(variable: string): unknown;
}

export const isTemplate = (value: unknown): value is TemplateLike =>
  typeof value === 'object' && value !== null && 'uriTemplate' in value && 'completeCallback' in value;

/**
 * Resources whose URIs have variables, for a registration that imports no SDK.
 *
 * @example
 * ```ts
 * const template = new ResourceTemplate('notes://my-server/{id}', { list: undefined });
 * const notes = registrations((server) =>
 *   server.registerResource('note', template, { title: 'Note' }, (uri, { id }) => ({
 *     contents: [{ uri: uri.href, text: `Note ${id}` }],
 *   })),
 * );
 * ```
 */
export class ResourceTemplate implements TemplateLike {
  readonly uriTemplate: TemplateLike['uriTemplate'];
  readonly #callbacks: {
    readonly list: ListCallback | undefined;
    readonly complete?: { readonly [variable: string]: CompleteCallback };
  };

  /** @param uriTemplate RFC 6570 level 1: literal text and `{name}` variables, each matching one path segment. */
  constructor(
    uriTemplate: string,
    callbacks: {
      readonly list: ListCallback | undefined;
      readonly complete?: { readonly [variable: string]: CompleteCallback };
    },
  ) {
    const parsed = parseTemplate(uriTemplate);
    if (parsed === undefined) {
      throw new RegistrationError(
        `The URI template ${JSON.stringify(uriTemplate)} is not of level 1. Use literal text and {name} variables, or the ResourceTemplate of an SDK.`,
      );
    }
    this.#callbacks = callbacks;
    this.uriTemplate = {
      variableNames: parsed.names,
      match: (uri) => parsed.match(uri) ?? null,
      toString: () => uriTemplate,
    };
  }

  get listCallback(): ListCallback | undefined {
    return this.#callbacks.list;
  }

  completeCallback(variable: string): CompleteCallback | undefined {
    const complete = this.#callbacks.complete ?? {};
    return Object.hasOwn(complete, variable) ? complete[variable] : undefined;
  }
}

/**
 * Gives an argument of a prompt what completes it, for a registration that imports no SDK.
 *
 * @example
 * ```ts
 * const args = { language: completable(z.string(), (typed) => ['ts', 'js'].filter((one) => one.startsWith(typed))) };
 * ```
 */
export function completable<S extends object>(schema: S, complete: CompleteCallback): S {
  Object.defineProperty(schema, COMPLETABLE, { value: { complete }, enumerable: false, writable: false });
  return schema;
}

/** The completer of an argument, also below `optional`, whichever of the two was written around the other. */
export function completerOf(field: unknown): CompleteCallback | undefined {
  for (let part = field; typeof part === 'object' && part !== null; part = innerOf(part)) {
    const found = (part as { readonly [COMPLETABLE]?: { readonly complete?: CompleteCallback } })[COMPLETABLE];
    if (found?.complete !== undefined) return found.complete;
  }
  return undefined;
}

interface Wrapping {
  readonly innerType?: unknown;
}

function innerOf(schema: object): unknown {
  const { _zod, _def } = schema as { readonly _zod?: { readonly def?: Wrapping }; readonly _def?: Wrapping };
  return (_zod?.def ?? _def)?.innerType;
}
