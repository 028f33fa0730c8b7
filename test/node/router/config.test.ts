/** The door's variables. */
import { describe, it } from 'vitest';
import { readConfig } from '../../../src/router/config.ts';

describe('the variables', () => {
  it('may all be absent', ({ expect }) => {
    expect(readConfig({})).toEqual({
      problems: [],
      warnings: [],
      config: {
        allowedHosts: ['localhost', '127.0.0.1', '[::1]', '*.workers.dev'],
        allowedOrigins: ['localhost', '127.0.0.1', '[::1]'],
        allowedHeaders: [],
        maxBodyBytes: 4_194_304,
        answerDeadlineMs: 70_000,
        callStreamMs: 900_000,
        listenStreamMs: 3_600_000,
        keepSessions: false,
        logRequests: false,
      },
    });
  });

  it('may all be empty', ({ expect }) => {
    const empty = {
      ALLOWED_HOSTS: '',
      ALLOWED_ORIGINS: ' ,',
      MAX_BODY_BYTES: '',
      CALL_STREAM_MS: '',
      LOG_LEVEL: '',
      KEEP_SESSIONS: '',
    };
    expect(readConfig(empty)).toEqual(readConfig({}));
  });

  it('are taken where they are good', ({ expect }) => {
    const vars = {
      MAX_BODY_BYTES: '100',
      ANSWER_DEADLINE_MS: 5,
      CALL_STREAM_MS: '6',
      LISTEN_STREAM_MS: '7',
      LOG_LEVEL: 'info',
    };
    expect(readConfig(vars).config).toMatchObject({
      maxBodyBytes: 100,
      answerDeadlineMs: 5,
      callStreamMs: 6,
      listenStreamMs: 7,
      logRequests: true,
    });
  });

  it.for([
    [{ MAX_BODY_BYTES: '4MB' }, 'The variable MAX_BODY_BYTES must be a whole number from 1 to 16777216.'],
    [{ MAX_BODY_BYTES: '16777217' }, 'The variable MAX_BODY_BYTES must be a whole number from 1 to 16777216.'],
    [{ ANSWER_DEADLINE_MS: '0' }, 'The variable ANSWER_DEADLINE_MS must be a whole number from 1 to 2147483647.'],
    [{ CALL_STREAM_MS: '1.5' }, 'The variable CALL_STREAM_MS must be a whole number from 1 to 2147483647.'],
    [{ LISTEN_STREAM_MS: '-1' }, 'The variable LISTEN_STREAM_MS must be a whole number from 1 to 2147483647.'],
    [{ LOG_LEVEL: 'debug' }, 'The variable LOG_LEVEL must be info or error.'],
    [
      { ALLOWED_ORIGINS: 'https://app.example.com' },
      'The variable ALLOWED_ORIGINS has an entry that is no host name. Use names divided by commas, without scheme and port, for example app.example.com,*.example.org',
    ],
    [
      { ALLOWED_HOSTS: 'a.example,b.example:8080' },
      'The variable ALLOWED_HOSTS has an entry that is no host name. Use names divided by commas, without scheme and port, for example app.example.com,*.example.org',
    ],
  ] as const)('a bad one is named, and its value is not: %j', ([vars, message], { expect }) => {
    expect(readConfig(vars).problems).toEqual([message]);
  });

  it('are all read, so that one problem hides no other', ({ expect }) => {
    const { problems, config } = readConfig({ MAX_BODY_BYTES: 'x', LOG_LEVEL: 'x', ALLOWED_HEADERS: 'a b' });
    expect(problems).toEqual([
      'The variable ALLOWED_HEADERS has an entry that is no name of a header. Use names divided by commas, for example X-Tenant,X-Request-Id',
      'The variable MAX_BODY_BYTES must be a whole number from 1 to 16777216.',
      'The variable LOG_LEVEL must be info or error.',
    ]);
    expect(config).toEqual(readConfig({}).config);
  });

  it('win over the defaults that the options give', ({ expect }) => {
    const defaults = {
      allowedHosts: ['A.example'],
      allowedOrigins: ['b.example'],
      allowedHeaders: ['X-C'],
      maxBodyBytes: 1,
      answerDeadlineMs: 2,
      callStreamMs: 3,
      listenStreamMs: 4,
      keepSessions: true,
    };
    const otherwise = { ...defaults, allowedHosts: ['a.example'], allowedHeaders: ['x-c'], logRequests: false };
    expect(readConfig({}, defaults).config).toEqual(otherwise);
    const vars = {
      ALLOWED_HOSTS: 'e.example',
      ALLOWED_ORIGINS: 'f.example',
      ALLOWED_HEADERS: 'X-G',
      MAX_BODY_BYTES: '5',
      ANSWER_DEADLINE_MS: '6',
      CALL_STREAM_MS: '7',
      LISTEN_STREAM_MS: '8',
      KEEP_SESSIONS: 'off',
      LOG_LEVEL: 'info',
    };
    expect(readConfig(vars, defaults).config).toEqual({
      allowedHosts: ['e.example'],
      allowedOrigins: ['f.example'],
      allowedHeaders: ['x-g'],
      maxBodyBytes: 5,
      answerDeadlineMs: 6,
      callStreamMs: 7,
      listenStreamMs: 8,
      keepSessions: false,
      logRequests: true,
    });
  });

  it('are warned of where they open the Worker to every page', ({ expect }) => {
    expect(readConfig({ ALLOWED_ORIGINS: '*' }).warnings).toHaveLength(1);
    expect(readConfig({}, { allowedOrigins: ['*'] }).warnings).toHaveLength(1);
    expect(readConfig({ ALLOWED_ORIGINS: '*.example.com' }).warnings).toEqual([]);
  });
});
