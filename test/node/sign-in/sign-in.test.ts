/** What `signIn` refuses of its options, and what a token endpoint is given of a refresh. */
import { describe, it } from 'vitest';
import { keepGrants, signIn, type SignInOptions } from '../../../src/sign-in/index.ts';

const tokens = (): undefined => undefined;
const problemsOf = (options: unknown): string => {
  try {
    signIn(options as SignInOptions);
    return 'none';
  } catch (cause) {
    return (cause as Error).message;
  }
};

describe('the options of signIn', () => {
  it.for([
    [undefined, 'The options are missing: give an object with "tokens".'],
    [{}, '"tokens" is missing: give a function that says whom a token belongs to.'],
    [{ tokens: { header: 'X' } }, '"tokens" is missing: give a function that says whom a token belongs to.'],
    [
      { tokens, resource: '/' },
      'There is no option "resource": use one of tokens, authorizationServers, resources, formerly, scopes, name, checkMs.',
    ],
    [
      { tokens, resources: ['mcp'] },
      '"resources" cannot be used: give a list, or leave it out; a resource is https://… without a fragment, or a path that begins with "/".',
    ],
    [
      { tokens, authorizationServers: ['http://login.example.com'] },
      '"authorizationServers" cannot be used: give a list, or leave it out; an issuer is https://… without a query, or "/" for this origin.',
    ],
    [
      { tokens, scopes: ['read write'] },
      '"scopes" cannot be used: give a list, or leave it out; a scope has no space, quotation mark or backslash.',
    ],
    [{ tokens, formerly: [{ until: '2027-03-01' }] }, 'An entry of "formerly" has no "resource" that can be used.'],
    [
      { tokens, formerly: [{ resource: 'https://old.example/mcp' }] },
      'The former resource https://old.example/mcp has no "until": give a day, such as 2027-03-01.',
    ],
    [{ tokens, checkMs: 0 }, '"checkMs" must be a whole number from 1 to 60000.'],
  ] as const)('%j is refused with a remedy', ([options, problem], { expect }) => {
    expect(problemsOf(options)).toBe(`signIn was given options that cannot be used:\n- ${problem}`);
  });

  it('are refused all together', ({ expect }) => {
    expect(problemsOf({ scopes: [''], checkMs: -1 }).split('\n')).toHaveLength(4);
  });
});

describe('a refresh', () => {
  const at = 'https://mcp.example.com/token';
  const form = (fields: Record<string, string>): RequestInit => {
    const body = String(new URLSearchParams(fields));
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': String(body.length) };
    return { method: 'POST', headers, body };
  };
  const REFRESH = { grant_type: 'refresh_token', refresh_token: 'r', client_id: 'c' };
  const kept = async (fields: Record<string, string>, resources = ['/', '/mcp']): Promise<string> =>
    (await keepGrants(new Request(at, form(fields)), resources)).text();

  it.for(['https://mcp.example.com', 'https://mcp.example.com/', 'https://MCP.example.com/mcp'])(
    'for %s goes on for the resource of its grant',
    async (resource, { expect }) => {
      expect(await kept({ ...REFRESH, resource })).toBe('grant_type=refresh_token&refresh_token=r&client_id=c');
    },
  );

  it('for another server is left to be refused, and so is everything that is no refresh', async ({ expect }) => {
    const elsewhere = { ...REFRESH, resource: 'https://elsewhere.example/mcp' };
    const code = { grant_type: 'authorization_code', code: 'x', resource: 'https://mcp.example.com/mcp' };
    expect(await kept(elsewhere)).toBe(String(new URLSearchParams(elsewhere)));
    expect(await kept(code)).toBe(String(new URLSearchParams(code)));
    expect(await kept(REFRESH)).toBe(String(new URLSearchParams(REFRESH)));
  });

  it('that is too long to be one is not read', async ({ expect }) => {
    const request = new Request(at, form({ ...REFRESH, resource: 'https://mcp.example.com', x: 'x'.repeat(70_000) }));
    expect(await keepGrants(request, ['/'])).toBe(request);
    const page = new Request(at);
    expect(await keepGrants(page, ['/'])).toBe(page);
  });
});
