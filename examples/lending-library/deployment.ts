/** What the tools need, made of the Worker's bindings and of the caller: a database, a store, a secret and two APIs. */
import type { Caller } from 'hybrid-mcp';
import type { CheckToken } from 'hybrid-mcp/sign-in';
import { z } from 'zod';
import type { Book, Loan, SignIn } from './services.ts';

export interface LibraryEnv {
  readonly BOOKS: D1Database;
  readonly HOURS: KVNamespace;
  /** Signs the numbers of cards. */
  readonly CARD_SECRET: string;
  /** Says whom a token belongs to. */
  readonly MEMBERS_URL: string;
  readonly REVIEWS_URL: string;
}

const HOURS_KEY = 'hours';
const ANSWER_MS = 5_000;
const reviewsSchema = z.array(z.object({ by: z.string(), text: z.string() }));
const memberSchema = z.object({ id: z.string(), role: z.enum(['reader', 'staff']), scopes: z.array(z.string()) });

/** Like every `%` and `_` in it, not as a pattern. */
const escaped = (words: string): string => `%${words.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;

export const servicesOf = (env: LibraryEnv, caller: Caller<SignIn>) => ({
  books: {
    find: async (words: string) => {
      const query = env.BOOKS.prepare(
        String.raw`SELECT isbn, title, author, copies FROM books WHERE title LIKE ?1 ESCAPE '\' OR author LIKE ?1 ESCAPE '\' ORDER BY title LIMIT 20`,
      );
      return (await query.bind(escaped(words)).all<Book>()).results;
    },
    get: async (isbn: string) =>
      (await env.BOOKS.prepare('SELECT isbn, title, author, copies FROM books WHERE isbn = ?1')
        .bind(isbn)
        .first<Book>()) ?? undefined,
  },
  loans: {
    of: async (reader: string) => {
      const query = env.BOOKS.prepare(
        'SELECT loans.isbn, title, until FROM loans JOIN books USING (isbn) WHERE reader = ?1 ORDER BY until, title',
      );
      return (await query.bind(reader).all<Loan>()).results;
    },
    // One statement takes the last copy from nobody.
    borrow: async (reader: string, isbn: string, until: string) => {
      await env.BOOKS.prepare(
        `INSERT INTO loans (reader, isbn, until) SELECT ?1, isbn, ?3 FROM books
         WHERE isbn = ?2 AND copies > (SELECT count(*) FROM loans WHERE isbn = ?2)
         ON CONFLICT DO NOTHING`,
      )
        .bind(reader, isbn, until)
        .run();
      const loan = await env.BOOKS.prepare('SELECT until FROM loans WHERE reader = ?1 AND isbn = ?2')
        .bind(reader, isbn)
        .first<{ until: string }>();
      return loan?.until;
    },
  },
  reviews: {
    of: async (isbn: string) => {
      const response = await asCaller(env.REVIEWS_URL, isbn, caller);
      if (!response.ok) throw new Error(`The reviews answered ${response.status}`);
      return reviewsSchema.parse(await response.json());
    },
    write: async (isbn: string, text: string) =>
      (await asCaller(env.REVIEWS_URL, isbn, caller, { method: 'POST', body: text })).ok,
  },
  hours: {
    today: async () => (await env.HOURS.get(HOURS_KEY)) ?? 'Open from 10 to 18, on Sundays closed.',
    change: (text: string) => env.HOURS.put(HOURS_KEY, text),
  },
  cardOf: async (reader: string) => {
    const encoder = new TextEncoder();
    const algorithm = { name: 'HMAC', hash: 'SHA-256' };
    const key = await crypto.subtle.importKey('raw', encoder.encode(env.CARD_SECRET), algorithm, false, ['sign']);
    const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(reader)));
    return `LIB-${[...signature.subarray(0, 6)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  },
});

const asCaller = (base: string, isbn: string, { properties }: Caller<SignIn>, init: RequestInit = {}) =>
  fetch(`${base}/reviews/${isbn}`, {
    ...init,
    headers: { authorization: `Bearer ${properties?.token ?? ''}` },
    signal: AbortSignal.timeout(ANSWER_MS),
  });

/** Asks the members' API, which has given the token out. */
export const memberOf: CheckToken<LibraryEnv> = async (token, { env }) => {
  const response = await fetch(`${env.MEMBERS_URL}/me`, { headers: { authorization: `Bearer ${token}` } });
  if (response.status === 401) return undefined;
  if (!response.ok) throw new Error(`The members' API answered ${response.status}`);
  const { id, role, scopes } = memberSchema.parse(await response.json());
  return { subject: id, scopes, props: { role, token } satisfies SignIn };
};
