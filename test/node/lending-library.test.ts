/** The tools of the example server as the functions that they are: with fakes, and neither lane nor platform. */
import { describe, it } from 'vitest';
import type { AnyTool, Caller, StateSteps, ToolContext, ToolReply } from 'hybrid-mcp/define';
import { catalogue } from '../../examples/lending-library/catalogue.ts';
import type { Book, SignIn } from '../../examples/lending-library/services.ts';
import { borrowBook, findBooks, myLoans } from '../../examples/lending-library/tools/books.ts';
import { changeHours, isStaff, myCard, openingHours } from '../../examples/lending-library/tools/desk.ts';
import { reviewsOf, writeReview } from '../../examples/lending-library/tools/reviews.ts';
import { myShelf, setAside } from '../../examples/lending-library/tools/shelf.ts';
import { NOBODY } from '../../src/shared/caller.ts';
import { stillContext, stillWorld } from '../support/ports.ts';

const TIDES: Book = { isbn: '9780000000011', title: 'Tides', author: 'Marlow', copies: 1 };
const READER: Caller<SignIn> = {
  subject: 'rae',
  scopes: [],
  clientId: undefined,
  properties: { role: 'reader', token: 'rae’s' },
};
type Ctx<Services> = ToolContext<Services, SignIn>;

/** Who answers the questions of a tool, and what they were asked. */
interface Asking {
  readonly caller?: Caller<SignIn>;
  readonly answer?: object;
  readonly asked?: string[];
}

const ctxWith = <Services>(services: Services, { caller = READER, answer, asked = [] }: Asking = {}): Ctx<Services> =>
  ({
    ...stillWorld(),
    caller,
    services,
    ask: async (_key: string, question: { message: string }) => {
      asked.push(question.message);
      return answer === undefined ? { action: 'decline' } : { action: 'accept', content: answer };
    },
  }) as unknown as Ctx<Services>;

type Tool<Services> = AnyTool<Services, SignIn> | AnyTool<Services>;

async function run<Services>(tool: Tool<Services>, input: object, ctx: Ctx<Services>): Promise<ToolReply> {
  if (tool.kind !== 'plain') throw new TypeError(`${tool.name} keeps a state`);
  return tool.run(input, ctx as never);
}
const error = (text: string) => ({ content: [{ type: 'text', text }], isError: true });
const text = (value: string) => ({ content: [{ type: 'text', text: value }] });
const value = (structuredContent: object) => ({ structuredContent });

describe('books', () => {
  it('are found in the database', async ({ expect }) => {
    const books = { find: async (words: string) => (words === 'tides' ? [TIDES] : []), get: async () => undefined };
    expect(await run(findBooks, { words: 'tides' }, ctxWith({ books }))).toMatchObject(value({ books: [TIDES] }));
  });

  it('are lent for three weeks, to whoever is signed in', async ({ expect }) => {
    const lent: unknown[] = [];
    const loans = {
      of: async () => [{ isbn: TIDES.isbn, title: 'Tides', until: '2026-01-23' }],
      borrow: async (...given: [string, string, string]) => {
        lent.push(given);
        return given[1] === TIDES.isbn ? given[2] : undefined;
      },
    };
    const borrow = (isbn: string, caller?: Caller<SignIn>) =>
      run(borrowBook, { isbn }, ctxWith({ loans }, caller && { caller }));
    expect(await borrow(TIDES.isbn)).toMatchObject(value({ until: '2026-01-23' }));
    expect(await borrow('9780000000000')).toMatchObject(
      error('No copy is left. Set the book aside to be told when one is back.'),
    );
    expect(await borrow(TIDES.isbn, NOBODY)).toMatchObject(error('Sign in to borrow a book.'));
    expect(lent).toEqual([
      ['rae', TIDES.isbn, '2026-01-23'],
      ['rae', '9780000000000', '2026-01-23'],
    ]);
    expect(await run(myLoans, {}, ctxWith({ loans }))).toMatchObject(
      value({ loans: [{ isbn: TIDES.isbn, title: 'Tides', until: '2026-01-23' }] }),
    );
  });
});

describe('reviews', () => {
  const written: string[] = [];
  const reviews = {
    of: async () => [{ by: 'sol', text: 'Wet.' }],
    write: async (_isbn: string, what: string) => written.push(what) > 0 && what !== 'Rude.',
  };

  it('are read from the API', async ({ expect }) => {
    const read = await run(reviewsOf, { isbn: TIDES.isbn }, ctxWith({ reviews }));
    expect(read).toMatchObject(value({ reviews: [{ by: 'sol', text: 'Wet.' }] }));
  });

  it('are written once the reader has said so', async ({ expect }) => {
    const asked: string[] = [];
    const write = (what: string, answer?: object) =>
      run(writeReview, { isbn: TIDES.isbn, text: what }, ctxWith({ reviews }, { asked, ...(answer && { answer }) }));
    expect(await write('Deep.')).toMatchObject(text('Nothing was published.'));
    expect(await write('Deep.', { publish: false })).toMatchObject(text('Nothing was published.'));
    expect(written).toEqual([]);
    expect(await write('Deep.', { publish: true })).toMatchObject(text('It was published.'));
    expect(await write('Rude.', { publish: true })).toMatchObject(error('You may not write reviews. Ask at the desk.'));
    expect(written).toEqual(['Deep.', 'Rude.']);
    expect(asked).toEqual(['Publish "Deep."?', 'Publish "Deep."?', 'Publish "Deep."?', 'Publish "Rude."?']);
  });
});

describe('the shelf', () => {
  const books = { find: async () => [], get: async (isbn: string) => (isbn === TIDES.isbn ? TIDES : undefined) };

  it('holds what the reader wants set aside, once', async ({ expect }) => {
    let shelf: { titles: readonly string[] } = { titles: [] };
    const steps: StateSteps<unknown> = {
      read: () => shelf,
      update: (step) => (shelf = step(shelf) as typeof shelf),
    };
    const asideWith = async (isbn: string, answer?: object): Promise<ToolReply> => {
      if (setAside.kind !== 'waiting') throw new TypeError('It does not wait');
      return setAside.run({ isbn }, ctxWith({ books }, answer && { answer }) as never, steps);
    };
    expect(await asideWith('9780000000000')).toMatchObject(error('There is no such book. Use "find-books" first.'));
    expect(await asideWith(TIDES.isbn)).toMatchObject(value({ titles: [] }));
    expect(await asideWith(TIDES.isbn, { sure: true })).toMatchObject(value({ titles: ['Tides'] }));
    expect(await asideWith(TIDES.isbn, { sure: true })).toMatchObject(value({ titles: ['Tides'] }));
    expect(shelf).toEqual({ titles: ['Tides'] });
  });

  it('is shown, and cleared', ({ expect }) => {
    if (myShelf.kind !== 'stateful') throw new TypeError('It has no reducer');
    const full = { titles: ['Tides'] };
    expect(myShelf.reduce(full, { clear: false }, stillContext())).toMatchObject({ state: full });
    expect(myShelf.reduce(full, { clear: true }, stillContext())).toMatchObject({ state: { titles: [] } });
  });
});

describe('the desk', () => {
  it('says and changes when it is open', async ({ expect }) => {
    let open = 'From 10 to 18.';
    const hours = { today: async () => open, change: async (given: string) => void (open = given) };
    expect(await run(openingHours, {}, ctxWith({ hours }))).toMatchObject(text('From 10 to 18.'));
    await run(changeHours, { text: 'Closed.' }, ctxWith({ hours }));
    expect(await run(openingHours, {}, ctxWith({ hours }))).toMatchObject(text('Closed.'));
  });

  it('has a tool that only staff know of', ({ expect }) => {
    expect([isStaff(READER), isStaff(NOBODY)]).toEqual([false, false]);
    expect(isStaff({ ...READER, properties: { role: 'staff', token: 't' } })).toBe(true);
    expect(changeHours).toMatchObject({ visible: isStaff, scopes: ['desk'] });
  });

  it('gives whoever is signed in a card', async ({ expect }) => {
    const cardOf = async (reader: string) => `card of ${reader}`;
    expect(await run(myCard, {}, ctxWith({ cardOf }))).toMatchObject(text('card of rae'));
    expect(await run(myCard, {}, ctxWith({ cardOf }, { caller: NOBODY }))).toMatchObject(
      error('Sign in to have a card.'),
    );
  });
});

it('is a server of ten tools', ({ expect }) => {
  expect(catalogue.tools.size).toBe(10);
});
