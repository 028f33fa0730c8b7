/** The examples of the agents documentation answer from a catalogue as they answer from a server of SDK v1. */
import { describe, it } from 'vitest';
import { createCatalogue } from '../../../src/shared/catalogue/catalogue.ts';
import { registrations } from 'hybrid-mcp/port';
import { asked } from '../../support/port/ask.ts';
import { DOCUMENTED_CALLS } from '../../support/port/documented-calls.ts';
import { registerDocumented, type DocumentedProps } from '../../support/port/documented.ts';
import { plainServer } from '../../support/port/plain.ts';

const env = { GREETING: 'Hello' };
const catalogue = createCatalogue({
  info: { name: 'documented', title: 'Documented', version: '1.0.0' },
  instructions: '',
  tools: [],
  registrations: [registrations(registerDocumented, { env })],
});

describe('documented registrations', () => {
  it.for([undefined, { login: 'ada' }, { login: 'grace', permissions: ['admin'] }] satisfies (
    | DocumentedProps
    | undefined
  )[])('answer %o as SDK v1 does', async (props, { expect }) => {
    const plain = await plainServer((server) => registerDocumented(server, { env, props }));
    for (const [method, params] of DOCUMENTED_CALLS) {
      expect([method, params, await asked(catalogue, method, params, { props })]).toEqual([
        method,
        params,
        await plain(method, params),
      ]);
    }
    expect(DOCUMENTED_CALLS.length).toBe(15);
  });

  it('are listed as SDK v1 lists them, but for the dialect and for tasks', async ({ expect }) => {
    const plain = await plainServer((server) => registerDocumented(server, { env, props: undefined }));
    const { tools } = (await plain('tools/list')) as { tools: Record<string, unknown>[] };
    const expected = tools.map(({ execution, ...each }) => {
      expect(execution).toEqual({ taskSupport: 'forbidden' });
      return JSON.parse(
        JSON.stringify(each).replaceAll(
          'http://json-schema.org/draft-07/schema#',
          'https://json-schema.org/draft/2020-12/schema',
        ),
      ) as unknown;
    });
    const ported = (await asked(catalogue, 'tools/list')) as { tools: unknown[] };
    expect(ported.tools).toEqual(expected);
    expect(ported.tools.length).toBe(5);
  });

  it('list what a caller may use, and no more', async ({ expect }) => {
    const names = async (props: DocumentedProps | undefined): Promise<string[]> => {
      const { tools } = (await asked(catalogue, 'tools/list', {}, { props })) as { tools: { name: string }[] };
      return tools.map(({ name }) => name);
    };
    expect(await names({ login: 'grace', permissions: ['admin'] })).toContain('restart');
    expect(await names({ login: 'ada' })).not.toContain('restart');
    expect(await names(undefined)).not.toContain('restart');
  });
});
