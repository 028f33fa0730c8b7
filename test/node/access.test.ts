/** Who sees what of a catalogue: by predicates and scopes, made once for all who see the same, and closed where it fails. */
import { describe, it } from 'vitest';
import { z } from 'zod';
import { registrations, type Recorder, type RegistrationContext } from 'hybrid-mcp/port';
import { NOBODY, type Caller } from '../../src/shared/caller.ts';
import { createCatalogue, type CatalogueDefinition } from '../../src/shared/catalogue/catalogue.ts';
import { viewOf } from '../../src/shared/catalogue/views.ts';
import type { Access } from '../../src/shared/define/access.ts';
import { reply } from '../../src/shared/define/reply.ts';
import { defineTool } from '../../src/shared/define/tool.ts';
import type { Report } from '../../src/shared/pipeline/report.ts';
import { prompt, resource, template } from '../support/valid-definition.ts';

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const toolWith = (name: string, access: Access = {}) =>
  defineTool({
    name,
    title: name,
    description: name,
    annotations,
    input: z.object({}),
    run: () => reply.text(name),
    ...access,
  });
const catalogueOf = (more: Partial<CatalogueDefinition>) =>
  createCatalogue({
    info: { name: 'x', title: 'X', version: '1' },
    instructions: '',
    tools: [toolWith('open')],
    ...more,
  });

const caller = (subject: string, ...scopes: string[]): Caller => ({
  subject,
  scopes,
  clientId: undefined,
  properties: { subject },
});
const ignore = (): undefined => undefined;
const names = (view: Awaited<ReturnType<typeof viewOf>>): unknown => [
  [...view.tools.keys()],
  view.listed.tools.map(({ name }) => name),
];

describe('what a caller sees', () => {
  it('is the catalogue itself where it is the same for everybody', ({ expect }) => {
    const catalogue = catalogueOf({ tools: [toolWith('open'), toolWith('paid', { scopes: ['pay'] })] });
    expect(viewOf(catalogue, NOBODY, ignore)).toBe(catalogue);
  });

  it('is made once for all who see the same, of entries that were made once for all', ({ expect }) => {
    const isAnn = ({ subject }: Caller): boolean => subject === 'ann';
    const catalogue = catalogueOf({
      tools: [toolWith('open'), toolWith('hers', { visible: isAnn }), toolWith('paid', { scopes: ['pay'] })],
      scopesMissing: 'hide',
    });
    const seen = (who: Caller) => viewOf(catalogue, who, ignore) as typeof catalogue;
    expect(names(seen(caller('ann', 'pay')))).toEqual([
      ['open', 'hers', 'paid'],
      ['open', 'hers', 'paid'],
    ]);
    expect(names(seen(caller('bob')))).toEqual([['open'], ['open']]);
    expect(seen(caller('bob'))).toBe(seen(caller('cat', 'other')));
    expect(seen(caller('bob'))).not.toBe(seen(caller('bob', 'pay')));
    expect(seen(caller('ann', 'pay'))).toBe(catalogue);
    expect(seen(caller('bob')).listed.tools[0]).toBe(catalogue.listed.tools[0]);
  });

  it('is nothing of what a predicate fails on, and the operator is told', ({ expect }) => {
    const reports: Report[] = [];
    const catalogue = catalogueOf({
      tools: [
        toolWith('open'),
        toolWith('throws', {
          visible: () => {
            throw new Error('no roles');
          },
        }),
        toolWith('promises', { visible: (async () => true) as unknown as () => boolean }),
      ],
    });
    expect(names(viewOf(catalogue, NOBODY, (report) => reports.push(report)) as typeof catalogue)).toEqual([
      ['open'],
      ['open'],
    ]);
    expect(reports.map(({ fault, cause }) => [fault, String(cause), String((cause as Error).cause)])).toEqual([
      ['internal', 'Error: The tool "throws" is hidden, because its "visible" failed', 'Error: no roles'],
      [
        'internal',
        'Error: The tool "promises" is hidden, because its "visible" failed',
        'TypeError: it answered neither true nor false',
      ],
    ]);
  });

  it('has what is registered for them beside what is defined for them', async ({ expect }) => {
    const registered = registrations((server: Recorder, { caller: { subject } }: RegistrationContext) => {
      server.tool('everybodys', () => ({ content: [] }));
      if (subject === 'ann') server.tool('anns', () => ({ content: [] }));
    });
    const catalogue = catalogueOf({
      tools: [toolWith('open'), toolWith('paid', { scopes: ['pay'] })],
      registrations: [registered],
      scopesMissing: 'hide',
    });
    const seen = async (who: Caller) => names(await viewOf(catalogue, who, ignore));
    expect(await seen(caller('ann'))).toEqual([
      ['open', 'everybodys', 'anns'],
      ['open', 'everybodys', 'anns'],
    ]);
    expect(await seen(caller('bob', 'pay'))).toEqual([
      ['open', 'paid', 'everybodys'],
      ['open', 'paid', 'everybodys'],
    ]);
  });

  it('declares no completions where nothing that completes is there', ({ expect }) => {
    const catalogue = catalogueOf({
      prompts: [{ ...prompt({ complete: { who: () => [] } }), visible: ({ subject }: Caller) => subject === 'ann' }],
    });
    const completes = (who: Caller): boolean => (viewOf(catalogue, who, ignore) as typeof catalogue).completes;
    expect([completes(caller('ann')), completes(caller('bob'))]).toEqual([true, false]);
  });
});

describe('refused when a catalogue is built', () => {
  const bad = { visible: true } as unknown as Access;
  it.for<[string, Partial<CatalogueDefinition>, string]>([
    ['a predicate that is none', { tools: [toolWith('x', bad)] }, 'The tool "x" has a "visible" that is no function.'],
    ['no scopes', { tools: [toolWith('x', { scopes: [] })] }, 'The tool "x" has "scopes" that no sign-in can give.'],
    ['two scopes in one', { tools: [toolWith('x', { scopes: ['a b'] })] }, 'has "scopes" that no sign-in can give.'],
    ['a quote', { resources: [{ ...resource(), scopes: ['a"'] }] }, 'has "scopes" that no sign-in can give.'],
    ['a text', { prompts: [{ ...prompt(), scopes: 'a' as never }] }, 'has "scopes" that no sign-in can give.'],
    ['of a template', { templates: [{ ...template(), scopes: [''] }] }, 'has "scopes" that no sign-in can give.'],
    [
      'a mode',
      { scopesMissing: 'show' as never },
      'The catalogue "scopesMissing" is "show". Use "challenge" or "hide"',
    ],
  ])('%s', ([, more, message], { expect }) => {
    expect(() => catalogueOf(more)).toThrow(message);
  });
});
