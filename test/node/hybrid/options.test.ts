/** What `createHybrid` refuses: each wrong option with its remedy, and all of them together. */
import { describe, it } from 'vitest';
import { problemsOf } from '../../../src/hybrid/check-options.ts';
import { HybridOptionsError } from '../../../src/hybrid/options.ts';
import { deskCatalogue as catalogue } from '../../../examples/desk/catalogue.ts';

const PATH_RULE =
  'begin it with "/", use letters, digits, ".", "_", "~" and "-" between slashes, and end it without one.';
const HOSTS = 'Give a list of names, without scheme and port, for example app.example.com,*.example.org';

/** One deviation each. */
const REFUSED: readonly (readonly [options: object, ...problems: string[]])[] = [
  [{ catalogue: undefined }, '"catalogue" is missing: give the result of createCatalogue({ … }).'],
  [{ catalogue: { tools: [] } }, '"catalogue" is missing: give the result of createCatalogue({ … }).'],
  [
    { catalog: catalogue },
    'There is no option "catalog": use one of catalogue, legacy, paths, bindings, subject, scopes, clientId, properties, services, signIn, stages, flagKeys, variablePrefixes, defaults, rateLimitKey, census, admin, webmcp, report, world.',
  ],
  [
    { legacy: true },
    '"legacy" is no legacy lane: give the result of legacyLane() or agentLane(), which "hybrid-mcp/legacy" exports.',
  ],
  [
    { legacy: () => ({}) },
    '"legacy" is no legacy lane: give the result of legacyLane() or agentLane(), which "hybrid-mcp/legacy" exports.',
  ],
  [{ paths: '/mcp' }, '"paths" is no object: give one, or leave it out.'],
  [{ paths: { api: '/api' } }, 'There is no path "api": use one of mcp, legacy, sse, landing, health, admin, webmcp.'],
  [{ paths: { mcp: 'mcp' } }, `The path "mcp" cannot be used: ${PATH_RULE}`],
  [{ paths: { mcp: '/mcp/' } }, `The path "mcp" cannot be used: ${PATH_RULE}`],
  [{ paths: { mcp: '/a b' } }, `The path "mcp" cannot be used: ${PATH_RULE}`],
  [{ paths: { mcp: '/a//b' } }, `The path "mcp" cannot be used: ${PATH_RULE}`],
  [{ paths: { mcp: '/a/../b' } }, `The path "mcp" cannot be used: ${PATH_RULE}`],
  [{ paths: { mcp: '/:id' } }, `The path "mcp" cannot be used: ${PATH_RULE}`],
  [{ paths: { mcp: 7 } }, `The path "mcp" cannot be used: ${PATH_RULE}`],
  [{ paths: { mcp: '/legacy/mcp' } }, 'The paths "mcp" and "legacy" are both /legacy/mcp: give each its own.'],
  [
    { paths: { legacy: '/legacy/sse/message' } },
    'The paths "legacy" and "sse (messages)" are both /legacy/sse/message: give each its own.',
  ],
  [
    { signIn: { tokens: () => undefined } },
    '"signIn" is no sign-in: give the result of signIn({ … }), which "hybrid-mcp/sign-in" exports.',
  ],
  [
    { webmcp: { module: 'x' } },
    '"webmcp" cannot be used: give the result of webmcpFiles(), which "hybrid-mcp/webmcp-files" exports.',
  ],
  [
    { webmcp: { module: 'x', client: 'y' }, paths: { mcp: '/webmcp' } },
    'The paths "mcp" and "webmcp" are both /webmcp: give each its own.',
  ],
  [
    { webmcp: { module: 'x', client: 'y' }, paths: { health: '/webmcp/tools.js' } },
    'The paths "health" and "webmcp (module)" are both /webmcp/tools.js: give each its own.',
  ],
  [
    { webmcp: { module: 'x', client: 'y' }, paths: { webmcp: '/', landing: '/about' } },
    'The path "webmcp" cannot be "/": use a longer one.',
  ],
  [{ paths: { health: '/' } }, 'The paths "landing" and "health" are both /: give each its own.'],
  [
    { paths: { mcp: '/admin/mcp' } },
    'The path "mcp" lies below "admin" (/admin), which answers all of it: move one of them.',
  ],
  [{ paths: { admin: '/', landing: '/about' } }, 'The path "admin" cannot be "/": use a longer one.'],
  [{ paths: { sse: '/', landing: '/about' } }, 'The path "sse" cannot be "/": use a longer one.'],
  [{ bindings: [] }, '"bindings" is no object: give one, or leave it out.'],
  [
    { bindings: { store: 'X' } },
    'There is no binding "store": use one of state, legacy, operator, census, censusEvents, flags, rateLimiter.',
  ],
  [
    { bindings: { state: 'my-state' } },
    'The binding "state" has a name that no binding can have: use the name from the Wrangler configuration.',
  ],
  [
    { bindings: { state: 'LEGACY_AGENT' } },
    'The bindings "state" and "legacy" are both LEGACY_AGENT: give each its own.',
  ],
  [{ subject: '' }, '"subject" must be the name of a property of the sign-in, or a function that reads it.'],
  [{ subject: 7 }, '"subject" must be the name of a property of the sign-in, or a function that reads it.'],
  [{ stages: 'legacy' }, '"stages" is no object: give one, or leave it out.'],
  [{ stages: { old: 'legacy' } }, 'There is no stage "old": use one of legacy, sse, mcp.'],
  [{ stages: { legacy: 'off' } }, 'The stage "legacy" must be one of legacy, shadow, stateless, gone.'],
  [{ stages: { sse: 'stateless' } }, 'The stage "sse" must be one of legacy, gone.'],
  [{ stages: { mcp: 'gone' } }, 'The stage "mcp" must be one of stateless, drain, legacy, off.'],
  [{ flagKeys: { old: 'x' } }, 'There is no flag key "old": use one of legacy, sse, mcp.'],
  [{ flagKeys: { legacy: 'a key' } }, 'The flag key "legacy" cannot be used: use letters, digits, ".", "_" and "-".'],
  [{ flagKeys: { legacy: 'mcp-route' } }, 'The flag keys "legacy" and "mcp" are both mcp-route: give each its own.'],
  [
    { variablePrefixes: { mcp: 'mcp' } },
    'The variable prefix "mcp" cannot be used: use capital letters, digits and "_", without "_" at the end.',
  ],
  [
    { variablePrefixes: { mcp: 'LEGACY_ROUTE' } },
    'The variable prefixes "legacy" and "mcp" are both LEGACY_ROUTE: give each its own.',
  ],
  [{ defaults: 7 }, '"defaults" is no object: give one, or leave it out.'],
  [
    { defaults: { deadline: 7 } },
    'There is no default "deadline": use one of allowedHosts, allowedOrigins, allowedHeaders, maxBodyBytes, answerDeadlineMs, callStreamMs, listenStreamMs, keepSessions, sessionIdleMs, askTimeoutMs.',
  ],
  [
    { defaults: { allowedHosts: ['https://a.example'] } },
    `The default "allowedHosts" has an entry that is no host name. ${HOSTS}`,
  ],
  [
    { defaults: { allowedOrigins: 'a.example' } },
    `The default "allowedOrigins" has an entry that is no host name. ${HOSTS}`,
  ],
  [
    { defaults: { allowedHeaders: ['X Y'] } },
    'The default "allowedHeaders" has an entry that is no name of a header. Give a list of names, for example X-Tenant,X-Request-Id',
  ],
  [{ defaults: { maxBodyBytes: 16_777_217 } }, 'The default "maxBodyBytes" must be a whole number from 1 to 16777216.'],
  [
    { defaults: { answerDeadlineMs: 0 } },
    'The default "answerDeadlineMs" must be a whole number from 1 to 2147483647.',
  ],
  [{ defaults: { callStreamMs: 1.5 } }, 'The default "callStreamMs" must be a whole number from 1 to 2147483647.'],
  [{ defaults: { listenStreamMs: '7' } }, 'The default "listenStreamMs" must be a whole number from 1 to 2147483647.'],
  [{ defaults: { keepSessions: 'on' } }, '"defaults.keepSessions" must be true or false, or be left out.'],
  [
    { defaults: { sessionIdleMs: 99 } },
    'The default "sessionIdleMs" must be a whole number of milliseconds, at least 100.',
  ],
  [
    { defaults: { askTimeoutMs: 0 } },
    'The default "askTimeoutMs" must be a whole number of milliseconds, from 1 to 2147483647.',
  ],
  [
    { rateLimitKey: 'subject' },
    '"rateLimitKey" is no function: give one that takes a request and its caller and gives a text, or leave it out.',
  ],
  [{ scopes: 7 }, '"scopes" must be the name of a property of the sign-in, or a function that reads them.'],
  [{ clientId: '' }, '"clientId" must be the name of a property of the sign-in, or a function that reads it.'],
  [{ properties: {} }, '"properties" is no schema: give one, such as z.object({ … }), or leave it out.'],
  [
    { services: { db: 1 } },
    '"services" is no function: give one that takes the environment and a caller and gives the services, or leave it out.',
  ],
  [{ census: 'on' }, '"census" must be true or false, or be left out.'],
  [{ admin: 1 }, '"admin" must be true or false, or be left out.'],
  [{ report: console }, '"report" is no function: give one that takes a report, or leave it out.'],
  [
    { world: { now: () => 0, random: () => 0, fetch: () => undefined } },
    '"world" has no function "id": give all of now, random, id and fetch, or leave it out.',
  ],
];

describe('the options of createHybrid', () => {
  it('may all be left out but the catalogue', ({ expect }) => {
    expect(problemsOf({ catalogue })).toEqual([]);
  });

  it.for(REFUSED)('are refused with a remedy: %j', ([options, ...problems], { expect }) => {
    expect(problemsOf({ catalogue, ...options })).toEqual(problems);
  });

  it.for([undefined, null, 'a catalogue'])('are refused where there are none: %j', (options, { expect }) => {
    expect(problemsOf(options)).toEqual(['The options are missing: give an object with a "catalogue".']);
  });

  it('are refused all together, when the Worker starts', ({ expect }) => {
    const problems = problemsOf({
      subject: '',
      census: 'on',
      paths: { mcp: 'x', sse: 'y' },
      defaults: { maxBodyBytes: 0 },
    });
    expect(problems).toHaveLength(6);
    const error = new HybridOptionsError(problems);
    expect(error.message).toBe(
      `createHybrid was given options that cannot be used:\n${problems.map((problem) => `- ${problem}`).join('\n')}`,
    );
  });
});
