/** A lending library: ten tools, a prompt and the pages of its books. */
import { z } from 'zod';
import { createCatalogue, definePrompt, defineResourceTemplate, type CallContext } from 'hybrid-mcp/define';
import type { Books } from './services.ts';
import { borrowBook, findBooks, myLoans } from './tools/books.ts';
import { changeHours, myCard, openingHours } from './tools/desk.ts';
import { reviewsOf, writeReview } from './tools/reviews.ts';
import { myShelf, setAside } from './tools/shelf.ts';

type WithBooks = CallContext<{ readonly books: Books }>;

const recommend = definePrompt({
  name: 'recommend',
  title: 'Recommend a book',
  description: 'Asks for a book like one that the reader knows.',
  args: z.object({ like: z.string().describe('The title of a book') }),
  complete: {
    like: async (typed, _chosen, { services }: WithBooks) =>
      typed.length < 2 ? [] : (await services.books.find(typed)).map(({ title }) => title),
  },
  messages: ({ like }) => [
    { role: 'user', content: { type: 'text', text: `Recommend a book of this library that is like "${like}".` } },
  ],
});

const page = defineResourceTemplate({
  uriTemplate: 'library://books/{isbn}',
  name: 'book',
  title: 'Book',
  description: 'A book by its ISBN.',
  mimeType: 'application/json',
  read: async ({ isbn = '' }, uri, { services }: WithBooks) => {
    const book = await services.books.get(isbn);
    return book === undefined ? undefined : [{ uri, mimeType: 'application/json', text: JSON.stringify(book) }];
  },
});

export const catalogue = createCatalogue({
  info: { name: 'lending-library', title: 'A lending library', version: '1.0.0' },
  instructions: 'Finds books, lends them and sets them aside for whoever is signed in.',
  tools: [findBooks, borrowBook, myLoans, reviewsOf, writeReview, setAside, myShelf, openingHours, myCard, changeHours],
  prompts: [recommend],
  templates: [page],
});
