/** `grants`: whose sign-ins go on, from a list of keys as wrangler prints it. The whole with a real store is in e2e. */
import { describe, it } from 'vitest';
import { cutover } from '../../../cli/cutover/command.ts';

const key = (user: string, grant: string, metadata?: object): object => ({
  name: `grant:${user}:${grant}`,
  ...(metadata !== undefined && { metadata }),
});
const KEYS = [
  key('ann', 'g1', { clientId: 'one', resource: 'https://a.example/mcp', redirectUri: 'http://127.0.0.1:9/cb' }),
  key('ben', 'g2', { clientId: 'one', resource: 'https://a.example/mcp', redirectUri: 'http://127.0.0.1:9/cb' }),
  key('ann', 'g3', { clientId: 'two', resource: 'https://old.example/mcp', redirectUri: 'https://two.example/cb' }),
  key('ann:of:many', 'g4', {
    clientId: 'two',
    resource: 'https://old.example/mcp',
    redirectUri: 'https://two.example/cb',
  }),
  key('cay', 'g5', { clientId: 'three', resource: ['https://x.example', 'https://a.example'] }),
  key('dan', 'g6', { clientId: 'three' }),
  key('eve', 'g7'),
  { name: 'grant:' },
];

async function asked(args: readonly string[], keys: unknown = KEYS, code = 0) {
  const ran: (readonly string[])[] = [];
  const printed = await cutover(['grants', ...args], {
    env: {},
    run: async (given) => {
      ran.push(given);
      return {
        code,
        out: typeof keys === 'string' ? keys : JSON.stringify(keys, undefined, 2),
        complaint: 'no such namespace',
      };
    },
  });
  return { ...printed, ran };
}
const OURS = ['--resource', 'https://a.example', '--resource', 'https://a.example/mcp'];

describe('grants', () => {
  it('counts by resource and client who goes on, and names no user', async ({ expect }) => {
    const { exitCode, out, ran } = await asked(OURS);
    expect([exitCode, out?.split('\n').map((line) => line.trimEnd())]).toEqual([
      1,
      [
        'resource                              client             grants  users',
        '------------------------------------  -----------------  ------  -----  -------------',
        'https://a.example/mcp                 one (127.0.0.1:9)  2       2      goes on',
        'https://old.example/mcp               two (two.example)  2       2      signs in anew',
        'https://x.example, https://a.example  three              1       1      goes on',
        'none                                  three              1       1      signs in anew',
        'not said                              not said           1       1      unknown',
        '3 go on, 3 sign in anew, 1 unknown.',
        'So that they go on, add their resources to those of the authorization server, and to "resources" or "formerly" of signIn.',
        'What is unknown was written before version 1.0 of the provider: a refresh makes it known.',
      ],
    ]);
    expect(ran).toEqual([
      ['kv', 'key', 'list', '--prefix', 'grant:', '--binding', 'OAUTH_KV', '--config', 'wrangler.toml', '--local'],
    ]);
  });

  it('ends with 0 where everybody goes on', async ({ expect }) => {
    const all = ['--resource', 'https://old.example/mcp', '--unbound-go-on', ...OURS];
    const { exitCode, out } = await asked([...all, '--json'], KEYS.slice(0, 6));
    const { goOn, signInAnew, unknown } = JSON.parse(out ?? '{}') as Record<string, unknown>;
    expect([exitCode, goOn, signInAnew, unknown]).toEqual([0, 6, 0, 0]);
    expect(await asked(OURS, [])).toMatchObject({ exitCode: 0, out: 'There is no grant.' });
  });

  it('looks where the Worker is, and at the namespace that is named', async ({ expect }) => {
    const { ran } = await asked([...OURS, '--url', 'https://a.example', '--binding', 'KV', '--env', 'live']);
    expect(ran[0]?.slice(5)).toEqual(['--binding', 'KV', '--config', 'wrangler.toml', '--env', 'live', '--remote']);
    const here = await asked([...OURS, '--local', '--persist-to', '/store', '--url', 'https://a.example']);
    expect(here.ran[0]?.slice(-3)).toEqual(['--local', '--persist-to', '/store']);
  });

  it('says what to do about what it cannot read', async ({ expect }) => {
    expect(await asked([])).toMatchObject({ exitCode: 2, error: expect.stringContaining('--resource') as string });
    expect(await asked(['--resource', 'mcp'])).toMatchObject({ exitCode: 2, ran: [] });
    expect(await asked(OURS, [], 1)).toMatchObject({
      exitCode: 2,
      error:
        'wrangler could not list the keys of OAUTH_KV: no such namespace.\nName the namespace with --binding and its configuration with --config; add --local for the store of this machine.',
    });
    expect(await asked(OURS, 'nothing')).toMatchObject({ exitCode: 2 });
  });
});
