/** What a request asks for that its caller may not use. Pure. */
import type { Caller } from '../caller.ts';
import { lackedBy } from '../catalogue/access.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Access } from '../define/access.ts';
import type { Fault, Named } from '../pipeline/fault.ts';
import { readCompletion, readNamed, readUri, type Completion } from './params.ts';

export interface Challenge {
  readonly what: Named;
  readonly fault: Extract<Fault, { fault: 'insufficient_scope' }>;
}

/**
 * The refusal of a request that names a definition whose scopes the caller lacks; undefined for every other request.
 * @param view What is there for the caller: what they may not know of is not refused but unknown.
 */
export function challengeFor(
  view: Catalogue,
  caller: Caller,
  { method, params }: { readonly method?: string | undefined; readonly params: unknown },
): Challenge | undefined {
  const found = definitionNamed(view, method, params);
  const scopes = found === undefined ? undefined : lackedBy(caller, found.definition);
  if (found === undefined || scopes === undefined) return undefined;
  return { what: found.what, fault: { fault: 'insufficient_scope', tool: found.name, scopes } };
}

interface Found {
  readonly what: Named;
  readonly name: string;
  readonly definition: Access;
}

function definitionNamed(view: Catalogue, method: string | undefined, params: unknown): Found | undefined {
  switch (method) {
    case 'tools/call':
    case 'prompts/get': {
      const read = readNamed(params);
      if (!read.ok) return undefined;
      const { name } = read.value;
      return method === 'tools/call'
        ? found('tool', name, view.tools.get(name))
        : found('prompt', name, view.prompts.get(name));
    }
    case 'resources/read':
    case 'resources/subscribe':
    case 'resources/unsubscribe': {
      const read = readUri(params);
      return read.ok ? found('resource', read.value, resourceAt(view, read.value)) : undefined;
    }
    case 'completion/complete': {
      const read = readCompletion(params);
      return read.ok ? completed(view, read.value.ref) : undefined;
    }
    default:
      return undefined;
  }
}

const found = (what: Named, name: string, definition: Access | undefined): Found | undefined =>
  definition === undefined ? undefined : { what, name, definition };

/** As a reading finds it: a resource before the templates, and these in order. */
const resourceAt = ({ resources, templates }: Catalogue, uri: string): Access | undefined =>
  resources.get(uri) ?? templates.find((template) => template.uri.match(uri) !== undefined)?.definition;

function completed({ prompts, resources, templates }: Catalogue, ref: Completion['ref']): Found | undefined {
  if (ref.type === 'ref/prompt') return found('prompt', ref.name, prompts.get(ref.name));
  const template = templates.find(({ definition }) => definition.uriTemplate === ref.uri);
  return found('resource', ref.uri, template?.definition ?? resources.get(ref.uri));
}
