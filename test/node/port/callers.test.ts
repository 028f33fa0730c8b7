/** Whose registration it is, and whose properties a handler reads: found out, and never another caller's. */
import * as fc from 'fast-check';
import { describe, it } from 'vitest';
import { registrations, type Recorder, type RegistrationContext } from '../../../src/port/index.ts';
import { createCatalogue, type Catalogue } from '../../../src/shared/catalogue/catalogue.ts';
import type { Registrations } from '../../../src/shared/define/registrations.ts';
import type { Report } from '../../../src/shared/pipeline/report.ts';
import { ask, asked } from '../../support/port/ask.ts';

interface Props {
  readonly login: string;
  readonly admin?: boolean;
}
type Context = RegistrationContext<unknown, Props | undefined>;

const text = (value: unknown) => ({ content: [{ type: 'text' as const, text: String(value) }] });
const of = (...all: readonly Registrations[]): Catalogue =>
  createCatalogue({
    info: { name: 'callers', title: 'Callers', version: '1.0.0' },
    instructions: '',
    tools: [],
    registrations: all,
  });

const who = async (catalogue: Catalogue, props: Props | undefined): Promise<string> => {
  const result = (await asked(catalogue, 'tools/call', { name: 'who' }, { props: props as never })) as {
    content: [{ text: string }];
  };
  return result.content[0].text;
};

/** Each form in which a registration comes to know its caller; `pause` gives other calls their turn in the middle. */
const FORMS = {
  'taken apart': (server: Recorder, { props }: Context, pause: () => Promise<void>) =>
    server.tool('who', async () => {
      await pause();
      return text(props?.login);
    }),
  'read late': (server: Recorder, context: Context, pause: () => Promise<void>) =>
    server.tool('who', async () => {
      await pause();
      return text(context.props?.login);
    }),
  'read at once': (server: Recorder, context: Context, pause: () => Promise<void>) => {
    const login = context.props?.login;
    return server.tool('who', async () => {
      await pause();
      return text(login);
    });
  },
  'a client built once': (server: Recorder, { props }: Context, pause: () => Promise<void>) => {
    const client = { get: async () => (await pause(), props?.login) };
    return server.tool('who', async () => text(await client.get()));
  },
  'the subject': (server: Recorder, context: Context, pause: () => Promise<void>) =>
    server.tool('who', async () => {
      await pause();
      return text(context.caller.subject);
    }),
  'after a wait': async (server: Recorder, context: Context, pause: () => Promise<void>) => {
    await pause();
    const { props } = context;
    await pause();
    return server.tool('who', async () => text(props?.login));
  },
};

describe('the caller of a registration', () => {
  it.for(Object.entries(FORMS))('is that of the call, however it is read: %s', async ([, register], { expect }) => {
    let calls = 0;
    const property = fc.asyncProperty(
      fc.array(fc.constantFrom('ada', 'grace', 'nobody'), { minLength: 2, maxLength: 12 }),
      fc.array(fc.nat(5), { minLength: 1, maxLength: 40 }),
      async (logins, turns) => {
        let turn = 0;
        const pause = async (): Promise<void> => {
          const wait = turns[(turn += 1) % turns.length] ?? 0;
          for (let step = 0; step < wait; step += 1) await new Promise((resolve) => setImmediate(resolve));
        };
        const catalogue = of(registrations((server, context: Context) => register(server, context, pause)));
        const answers = await Promise.all(
          logins.map((login) => who(catalogue, login === 'nobody' ? undefined : { login })),
        );
        calls += answers.length;
        expect(answers).toEqual(logins.map((login) => (login === 'nobody' ? 'undefined' : login)));
      },
    );
    await fc.assert(property, { numRuns: 40 });
    expect(calls).toBeGreaterThan(80);
  });

  it('is kept apart from what a handler keeps of another', async ({ expect }) => {
    const catalogue = of(
      registrations((server, context: Context) => {
        let login: string | undefined;
        server.tool('who', async () => text((login ??= context.props?.login)));
      }),
    );
    const answers: string[] = [];
    for (const login of ['ada', 'grace', 'ada', 'grace']) answers.push(await who(catalogue, { login }));
    expect(answers).toEqual(['ada', 'grace', 'ada', 'grace']);
  });

  it.for([
    ['does not look', (server: Recorder) => server.tool('who', () => text('you')), 1],
    ['looks', (server: Recorder, { props }: Context) => server.tool('who', () => text(props?.login)), 2],
    [
      'looks in a handler',
      (server: Recorder, context: Context) => server.tool('who', () => text(context.props?.login)),
      // Once for everybody, until the first call has looked.
      3,
    ],
  ] as const)('is recorded as often as it has to be if it %s', async ([, register, times], { expect }) => {
    let runs = 0;
    const catalogue = of(
      registrations((server, context: Context) => {
        runs += 1;
        register(server, context);
      }),
    );
    for (let round = 0; round < 5; round += 1) {
      for (const login of ['ada', 'grace']) await who(catalogue, { login });
    }
    expect(runs).toBe(times);
  });

  it('is the same for equal properties, in whatever order they are written', async ({ expect }) => {
    let runs = 0;
    const catalogue = of(
      registrations((server, { props }: Context) => {
        runs += 1;
        server.tool('who', () => text(props?.login));
      }),
    );
    await who(catalogue, { login: 'ada', admin: true });
    await who(catalogue, { admin: true, login: 'ada' });
    await who(catalogue, { admin: false, login: 'ada' });
    expect(runs).toBe(2);
  });

  it('is refused if the registration throws for them, and nobody else is', async ({ expect }) => {
    const catalogue = of(
      registrations((server, { props }: Context) => {
        if (props?.login === undefined) throw new Error('Sign in first');
        server.tool('who', () => text(props.login));
      }),
    );
    const reports: Report[] = [];
    const refused = {
      code: -32003,
      message: 'This server has nothing for this caller. Sign in with an account that may use it.',
    };
    for (const method of ['tools/list', 'tools/call', 'prompts/list', 'resources/read'] as const) {
      expect(await asked(catalogue, method, { name: 'who', uri: 'a://b' }, { reports })).toEqual(refused);
    }
    expect((await ask(catalogue, 'tools/list', {}, { reports })).verdict).toBe('caller_refused');
    expect(reports.map(({ fault, cause }) => [fault, String(cause)])).toEqual(
      Array.from({ length: 5 }, () => ['caller_refused', 'Error: Sign in first']),
    );
    expect(await who(catalogue, { login: 'ada' })).toBe('ada');
  });

  it('is asked for in vain after the registration has ended, outside of a handler', async ({ expect }) => {
    const late: { read?: () => unknown } = {};
    const catalogue = of(
      registrations((server, context: Context) => {
        late.read = () => context.props;
        server.tool('who', () => text('you'));
      }),
    );
    expect(await who(catalogue, { login: 'ada' })).toBe('you');
    expect(() => late.read?.()).toThrow(/after the registration had ended, outside of a handler/);
  });
});
