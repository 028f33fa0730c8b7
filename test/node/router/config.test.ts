/** The door's variables. */
import { describe, it } from 'vitest';
import { createConfig, readDoorConfig } from '../../../src/router/config.ts';

describe('the variables', () => {
  it('may all be absent', ({ expect }) => {
    expect(readDoorConfig({})).toEqual({
      allowedHosts: ['localhost', '127.0.0.1', '[::1]', '*.workers.dev'],
      allowedOrigins: ['localhost', '127.0.0.1', '[::1]'],
      maxBodyBytes: 4_194_304,
      answerDeadlineMs: 70_000,
      callStreamMs: 900_000,
      listenStreamMs: 3_600_000,
      keepSessions: false,
      logRequests: false,
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
    expect(readDoorConfig(empty)).toEqual(readDoorConfig({}));
  });

  it('are taken where they are good', ({ expect }) => {
    const vars = {
      MAX_BODY_BYTES: '100',
      ANSWER_DEADLINE_MS: 5,
      CALL_STREAM_MS: '6',
      LISTEN_STREAM_MS: '7',
      LOG_LEVEL: 'info',
    };
    expect(readDoorConfig(vars)).toMatchObject({
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
    expect(() => readDoorConfig(vars)).toThrow(new TypeError(message));
  });

  it('are read once for an environment', ({ expect }) => {
    const env = { MAX_BODY_BYTES: '100' };
    const configOf = createConfig();
    expect(configOf(env)).toBe(configOf(env));
  });
});
