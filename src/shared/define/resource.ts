/** Definitions of resources and of resource templates. */
import type { Properties } from '../caller.ts';
import type { JsonObject } from '../json.ts';
import type { Access } from './access.ts';
import type { CallContext } from './context.ts';
import type { Needing } from './needs.ts';
import type { Completer } from './prompt.ts';
import type { ContentAnnotations, ResourceContents } from './reply.ts';
import type { Icon } from './tool.ts';

interface ResourceBase<Services, P> extends Needing<Services, P>, Access<P> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType?: string;
  readonly annotations?: ContentAnnotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: JsonObject;
  readonly enabled?: boolean;
}

/** What `defineResource` is given. */
export interface ResourceDefinition<Services = unknown, P = Properties> extends ResourceBase<Services, P> {
  readonly uri: string;
  /** Bytes of the raw content, where known. */
  readonly size?: number;
  readonly read: (ctx: CallContext<Services, P>) => readonly ResourceContents[] | Promise<readonly ResourceContents[]>;
}

/** What a template lists beside the template itself: members worth naming. */
export interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
}

/** What `defineResourceTemplate` is given. */
export interface ResourceTemplateDefinition<Services = unknown, P = Properties> extends ResourceBase<Services, P> {
  /** RFC 6570 level 1: literal text and `{name}` variables, each matching one path segment. */
  readonly uriTemplate: string;
  readonly list?: (ctx: CallContext<Services, P>) => readonly ListedResource[] | Promise<readonly ListedResource[]>;
  readonly complete?: { readonly [variable: string]: Completer<Services, P> };
  /** Undefined means that no such resource exists. */
  readonly read: (
    variables: Readonly<Record<string, string>>,
    uri: string,
    ctx: CallContext<Services, P>,
  ) => readonly ResourceContents[] | undefined | Promise<readonly ResourceContents[] | undefined>;
}

/**
 * Defines a resource with one fixed URI.
 *
 * @example
 * ```ts
 * const readme = defineResource({
 *   uri: 'docs://my-server/readme',
 *   name: 'readme',
 *   title: 'Read me',
 *   description: 'What this server does.',
 *   mimeType: 'text/plain',
 *   read: () => [{ uri: 'docs://my-server/readme', text: 'It adds numbers.' }],
 * });
 * ```
 */
export const defineResource = <Services = unknown, P = Properties>(
  resource: ResourceDefinition<Services, P>,
): ResourceDefinition<Services, P> => resource;

/**
 * Defines resources whose URIs have variables.
 *
 * @example
 * ```ts
 * const note = defineResourceTemplate({
 *   uriTemplate: 'notes://my-server/{id}',
 *   name: 'note',
 *   title: 'Note',
 *   description: 'A note by its id.',
 *   read: ({ id = '' }) => [{ uri: `notes://my-server/${id}`, text: `Note ${id}` }],
 * });
 * ```
 */
export const defineResourceTemplate = <Services = unknown, P = Properties>(
  template: ResourceTemplateDefinition<Services, P>,
): ResourceTemplateDefinition<Services, P> => template;
