/**
 * The catalogue: the one list of tools, prompts and resources that every lane serves. Built once per isolate; all
 * checks, schema conversions and listings happen here, so that a request only looks up.
 */
import type { Properties } from '../caller.ts';
import type { Access, ScopesMissing } from '../define/access.ts';
import type { PropertiesFor, ServicesFor } from '../define/needs.ts';
import type { AnyPrompt } from '../define/prompt.ts';
import type { ResourceDefinition, ResourceTemplateDefinition } from '../define/resource.ts';
import type { Registrations } from '../define/registrations.ts';
import type { AnyTool, Icon } from '../define/tool.ts';
import { type JsonObject, throughWire } from '../json.ts';
import type { CallLimits } from '../pipeline/call-tool.ts';
import { toObjectJsonSchema } from '../schema/convert.ts';
import { completesIn, conditionalOf, type Conditional } from './access.ts';
import { checkEntry, checkUnique } from './check-common.ts';
import { checkShape } from './check-shape.ts';
import { checkStates, checkTool } from './check-tool.ts';
import { checkLimits, checkPrompt, checkResource, checkScopesMissing, checkTemplate } from './check.ts';
import { listPrompt, listResource, listTemplate, listTool } from './list.ts';
import { parseTemplate, type UriTemplate } from './uri-template.ts';

/** What the server says that it is. */
export interface ServerInfo {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly websiteUrl?: string;
  readonly icons?: readonly Icon[];
}

/** What `createCatalogue` is given. */
export interface CatalogueDefinition<
  T extends AnyTool<never, never> = AnyTool,
  Prompt extends AnyPrompt<never, never> = AnyPrompt,
  Resource extends ResourceDefinition<never, never> = ResourceDefinition,
  Template extends ResourceTemplateDefinition<never, never> = ResourceTemplateDefinition,
> {
  readonly info: ServerInfo;
  /** Read by the model before it uses any tool. */
  readonly instructions: string;
  readonly tools: readonly T[];
  readonly prompts?: readonly Prompt[];
  readonly resources?: readonly Resource[];
  readonly templates?: readonly Template[];
  /** What functions register on a server, from `registrations()` of `hybrid-mcp/port`. Listed after the definitions. */
  readonly registrations?: readonly Registrations[];
  readonly limits?: Partial<CallLimits>;
  /** What becomes of a definition with `scopes` for a caller who lacks one of them. Default: `challenge`. */
  readonly scopesMissing?: ScopesMissing;
}

export interface CatalogueTemplate<Services = unknown, P = Properties> {
  readonly definition: ResourceTemplateDefinition<Services, P>;
  readonly uri: UriTemplate;
  /** True if the members that it lists are listed as they are. */
  readonly listsWhole?: true;
}

/** What every lane serves: checked definitions, and the lists as they are sent. Its types say what it needs. */
export interface Catalogue<Services = unknown, P = Properties> {
  readonly info: ServerInfo;
  readonly instructions: string;
  readonly limits: CallLimits;
  /** What can be called: disabled definitions are nowhere in here. */
  readonly tools: ReadonlyMap<string, AnyTool<Services, P>>;
  readonly prompts: ReadonlyMap<string, AnyPrompt<Services, P>>;
  readonly resources: ReadonlyMap<string, ResourceDefinition<Services, P>>;
  readonly templates: readonly CatalogueTemplate<Services, P>[];
  /** The members of the list results, in order of definition, as they go on the wire. */
  readonly listed: {
    readonly tools: readonly JsonObject[];
    readonly prompts: readonly JsonObject[];
    readonly resources: readonly JsonObject[];
    readonly templates: readonly JsonObject[];
  };
  /** True where an argument or a variable has a completer, so that the capability is declared. */
  readonly completes: boolean;
  /** The definitions that are not there for everybody. */
  readonly conditional: readonly Conditional[];
  /** True where a definition has scopes. */
  readonly hasScopes: boolean;
  /** What adds to the catalogue for each caller; empty in a view, which has it all. */
  readonly registrations: readonly Registrations[];
  /** Of a view: there is nothing for this caller, because a registration has refused them or cannot be served. */
  readonly closed?: 'refused' | 'broken';
}

/** 4 MiB, the body limit of both packages: what a client may send, a tool may answer. */
const DEFAULT_LIMITS: CallLimits = { deadlineMs: 60_000, maxResultBytes: 4 * 1024 * 1024 };

/**
 * @throws CatalogueError naming the definition and the remedy, for whatever cannot work on every lane.
 * @example
 * ```ts
 * const catalogue = createCatalogue({
 *   info: { name: 'my-server', title: 'My server', version: '1.0.0' },
 *   instructions: 'Adds numbers.',
 *   tools: [add],
 * });
 * ```
 */
export function createCatalogue<
  T extends AnyTool<never, never>,
  Prompt extends AnyPrompt<never, never> = never,
  Resource extends ResourceDefinition<never, never> = never,
  Template extends ResourceTemplateDefinition<never, never> = never,
>(definition: CatalogueDefinition<T, Prompt, Resource, Template>): CatalogueOf<T | Prompt | Resource | Template> {
  // What definitions need is known to the types only, and held against what a Worker gives where that is composed.
  return build(definition as unknown as CatalogueDefinition) as unknown as CatalogueOf<
    T | Prompt | Resource | Template
  >;
}

/** A catalogue that needs what its definitions need. */
type CatalogueOf<D> = Catalogue<ServicesFor<D>, PropertiesFor<D>>;

function build(definition: CatalogueDefinition): Catalogue {
  checkShape(definition);
  const { tools, prompts = [], resources = [], templates = [], registrations = [] } = definition;
  checkUnique(
    'tool',
    tools.map(({ name }) => name),
  );
  checkUnique(
    'prompt',
    prompts.map(({ name }) => name),
  );
  checkUnique(
    'resource',
    resources.map(({ uri }) => uri),
  );
  checkUnique(
    'resource template',
    templates.map(({ uriTemplate }) => uriTemplate),
  );

  const limits = { ...DEFAULT_LIMITS, ...definition.limits };
  checkLimits(limits);
  const { scopesMissing = 'challenge' } = definition;
  checkScopesMissing(scopesMissing);

  // Disabled definitions are checked too: enabling one must not be what breaks a deployment.
  const listedTools = tools.map((tool) => {
    checkTool(tool);
    return { tool, entry: checkEntry('tool', tool.name, listTool(tool)) };
  });
  checkStates(tools);
  const listedPrompts = prompts.map((prompt) => {
    const args = toObjectJsonSchema(prompt.args, 'input', { kind: 'prompt', name: prompt.name, part: 'argument' });
    checkPrompt(prompt, args);
    return { prompt, entry: checkEntry('prompt', prompt.name, listPrompt(prompt, args)) };
  });
  resources.forEach(checkResource);
  templates.forEach(checkTemplate);

  const on = <T extends { readonly enabled?: boolean }>(items: readonly T[]): readonly T[] =>
    items.filter(({ enabled }) => enabled !== false);
  const access: readonly (readonly [Conditional['kind'], string, Access])[] = [
    ...on(tools).map((one) => ['tool', one.name, one] as const),
    ...on(prompts).map((one) => ['prompt', one.name, one] as const),
    ...on(resources).map((one) => ['resource', one.uri, one] as const),
    ...on(templates).map((one) => ['resource template', one.uriTemplate, one] as const),
  ];
  return {
    info: throughWire(definition.info),
    instructions: definition.instructions.toWellFormed(),
    limits,
    tools: new Map(on(tools).map((tool) => [tool.name, tool])),
    prompts: new Map(on(prompts).map((prompt) => [prompt.name, prompt])),
    resources: new Map(on(resources).map((resource) => [resource.uri, resource])),
    templates: on(templates).flatMap((template) => {
      const uri = parseTemplate(template.uriTemplate);
      return uri === undefined ? [] : [{ definition: template, uri }];
    }),
    listed: {
      tools: listedTools.filter(({ tool }) => tool.enabled !== false).map(({ entry }) => entry),
      prompts: listedPrompts.filter(({ prompt }) => prompt.enabled !== false).map(({ entry }) => entry),
      resources: on(resources).map((resource) => checkEntry('resource', resource.name, listResource(resource))),
      templates: on(templates).map((item) => checkEntry('resource template', item.name, listTemplate(item))),
    },
    completes: completesIn([...on(prompts), ...on(templates)]),
    conditional: access.flatMap(([kind, key, one]) => conditionalOf({ kind, key }, one, scopesMissing) ?? []),
    hasScopes: access.some(([, , { scopes }]) => scopes !== undefined),
    registrations,
  };
}
