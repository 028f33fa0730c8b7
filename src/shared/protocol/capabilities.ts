/** What a server with this catalogue declares and serves, on every lane. Pure. */
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { CatalogueMethod } from './answer.ts';

export interface Capabilities {
  readonly tools: { readonly listChanged: false };
  readonly prompts?: { readonly listChanged: false };
  readonly resources?: { readonly listChanged: false; readonly subscribe: false };
  readonly completions?: Record<string, never>;
  readonly logging: Record<string, never>;
}

/** `listChanged` is false: a catalogue changes by deployment only, and no lane could tell every client. */
function capabilitiesOf(catalogue: Catalogue): Capabilities {
  return {
    tools: { listChanged: false },
    ...(catalogue.prompts.size > 0 && { prompts: { listChanged: false } }),
    ...(hasResources(catalogue) && { resources: { listChanged: false, subscribe: false } }),
    ...(catalogue.completes && { completions: {} }),
    logging: {},
  };
}

/** The methods that answer a client of this era; any other is "Method not found". */
function servedMethods(catalogue: Catalogue, era: '2025' | '2026'): ReadonlySet<CatalogueMethod> {
  const methods: CatalogueMethod[] = ['tools/list', 'tools/call'];
  if (catalogue.prompts.size > 0) methods.push('prompts/list', 'prompts/get');
  if (hasResources(catalogue)) methods.push('resources/list', 'resources/templates/list', 'resources/read');
  if (hasResources(catalogue) && era === '2025') methods.push('resources/subscribe', 'resources/unsubscribe');
  if (catalogue.completes) methods.push('completion/complete');
  return new Set(methods);
}

/** What a server with this catalogue declares, and the methods that it answers. */
export interface Surface {
  readonly capabilities: Capabilities;
  readonly implementation: Implementation;
  readonly served: Readonly<Record<'2025' | '2026', ReadonlySet<CatalogueMethod>>>;
}

/** The same in every request of one view. */
const surfaces = new WeakMap<Catalogue, Surface>();

export function surfaceOf(catalogue: Catalogue): Surface {
  const known = surfaces.get(catalogue);
  if (known !== undefined) return known;
  const made: Surface = {
    capabilities: capabilitiesOf(catalogue),
    implementation: implementationOf(catalogue),
    served: { '2025': servedMethods(catalogue, '2025'), '2026': servedMethods(catalogue, '2026') },
  };
  surfaces.set(catalogue, made);
  return made;
}

const hasResources = (catalogue: Catalogue): boolean => catalogue.resources.size + catalogue.templates.length > 0;

/** The server's name as the SDKs want it: a copy that they may change. */
export function implementationOf({ info }: Catalogue): Implementation {
  const { icons, ...rest } = info;
  if (icons === undefined) return rest;
  return {
    ...rest,
    icons: icons.map(({ sizes, ...icon }) => ({ ...icon, ...(sizes !== undefined && { sizes: [...sizes] }) })),
  };
}

interface Implementation {
  name: string;
  title: string;
  version: string;
  websiteUrl?: string;
  icons?: { src: string; mimeType?: string; sizes?: string[]; theme?: 'light' | 'dark' }[];
}
