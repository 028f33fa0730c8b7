/** The examples of docs/writing-tools.md: the page shows the files as they are, and the files work. */
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, it } from 'vitest';
import { bookTable } from '../../docs/examples/book-table.ts';
import { orderStatus } from '../../docs/examples/order-status.ts';
import { refundOrder } from '../../docs/examples/refund-order.ts';
import { setAside } from '../../docs/examples/set-aside.ts';
import { addItem } from '../../docs/examples/shopping-list.ts';
import { wordCount } from '../../docs/examples/word-count.ts';
import { NOBODY, type Caller } from '../../src/shared/caller.ts';
import { createCatalogue, type Catalogue } from '../../src/shared/catalogue/catalogue.ts';
import type { CallPorts } from '../../src/shared/pipeline/ports.ts';
import { answer } from '../../src/shared/protocol/answer.ts';
import type { Answer } from '../../src/shared/protocol/answered.ts';
import { fakePorts, stillWorld } from '../support/ports.ts';

const DOCS = resolve(import.meta.dirname, '../../docs');
const page = readFileSync(resolve(DOCS, 'writing-tools.md'), 'utf8');
const files = readdirSync(resolve(DOCS, 'examples')).filter((file) => file.endsWith('.ts'));

const catalogue = createCatalogue({
  info: { name: 'examples', title: 'Examples', version: '1.0.0' },
  instructions: 'Examples.',
  tools: [wordCount, addItem, bookTable, setAside, orderStatus, refundOrder],
  // Its services are given with each call here, which no type can see.
}) as unknown as Catalogue;
const ports: CallPorts = fakePorts(catalogue);
const call = (name: string, args: Record<string, unknown> = {}, extra: Partial<CallPorts> = {}): Promise<Answer> =>
  answer(catalogue, 'tools/call', { name, arguments: args }, { ...ports, ...extra });
const text = (value: string) => ({ kind: 'result', result: { content: [{ type: 'text', text: value }] } });

const CLIENT = new Set(['elicitation'] as const);

describe('docs/writing-tools.md', () => {
  it('shows every example as it is', ({ expect }) => {
    expect(files.toSorted()).toEqual([
      'book-table.ts',
      'order-status.ts',
      'refund-order.ts',
      'set-aside.ts',
      'shopping-list.ts',
      'word-count.ts',
    ]);
    const shown = files.filter((file) =>
      page.includes(`\`\`\`ts\n// examples/${file}\n${readFileSync(resolve(DOCS, 'examples', file), 'utf8')}\`\`\``),
    );
    expect(shown).toEqual(files);
    expect(page.match(/```ts/g)?.length).toBe(files.length);
  });

  it('the tool counts words and refuses an empty text', async ({ expect }) => {
    expect(await call('wordCount', { text: ' one  two ' })).toMatchObject({
      result: { structuredContent: { words: 2 } },
    });
    expect(await call('wordCount', { text: ' ' })).toMatchObject({ result: { isError: true } });
  });

  it('the stateful tool keeps its list behind a handle', async ({ expect }) => {
    const first = await call('addItem', { item: 'bread' });
    if (first.kind !== 'result') throw new TypeError(JSON.stringify(first));
    const { handle } = first.result['structuredContent'] as { handle: string };
    expect(await call('addItem', { item: 'milk', handle })).toMatchObject({
      result: { structuredContent: { items: ['bread', 'milk'], handle } },
    });
  });

  it('the tool with services asks a fake, and nobody else', async ({ expect }) => {
    const asked: string[] = [];
    const statusOf = (order: string) => {
      asked.push(order);
      return Promise.resolve(order === '7' ? 'On its way.' : undefined);
    };
    const ann = { caller: { ...NOBODY, subject: 'ann' }, services: () => ({ orders: { statusOf } }) };
    expect(await call('orderStatus', { order: '7' }, ann)).toMatchObject(text('On its way.'));
    expect(await call('orderStatus', { order: '8' }, ann)).toMatchObject({ result: { isError: true } });
    expect(await call('orderStatus', { order: '7' })).toMatchObject(text('Sign in to see your orders.'));
    expect(asked).toEqual(['7', '8']);
  });

  it('the tool for staff is seen by staff, and used with its scopes', async ({ expect }) => {
    const staff = { ...NOBODY, subject: 'sue', properties: { role: 'staff' } };
    const allowed = { ...staff, scopes: ['orders:refund', 'orders:read'] };
    expect(refundOrder.visible?.(staff as never)).toBe(true);
    expect(refundOrder.visible?.({ ...staff, properties: { role: 'customer' } } as never)).toBe(false);
    const services = () => ({ orders: { refund: async (order: string) => order === '7' } });
    const refund = (caller: Caller) => call('refundOrder', { order: '7' }, { caller, services });
    expect(await refund(allowed)).toMatchObject(text('Order 7 was refunded.'));
    expect(await refund(staff)).toMatchObject({ verdict: 'insufficient_scope' });
  });

  it('the asking tool books what the user answers', async ({ expect }) => {
    const content = { day: 'friday', guests: 2 };
    const pushes = (action: 'accept' | 'decline') => ({
      ask: { kind: 'push' as const, client: CLIENT, push: () => Promise.resolve({ action, content }) },
    });
    expect(await call('bookTable', {}, pushes('accept'))).toMatchObject(text('Booked for 2 on friday.'));
    expect(await call('bookTable', {}, pushes('decline'))).toMatchObject(text('No table was booked.'));
  });

  it('the waiting tool looks the book up, asks, and sets it aside for its subject', async ({ expect }) => {
    const fetch = (url: string | URL) => Promise.resolve(new Response(`Book ${String(url).slice(-2)}`));
    const withBooks = fakePorts(catalogue, { ...stillWorld(), fetch });
    const answers = (sure: boolean) => ({
      ...withBooks,
      caller: { ...NOBODY, subject: 'ann' },
      ask: {
        kind: 'push' as const,
        client: CLIENT,
        push: () => Promise.resolve({ action: 'accept', content: { sure } }),
      },
    });
    const set = (books: readonly string[]) => ({
      kind: 'result',
      verdict: 'ok',
      result: { content: [{ type: 'text', text: JSON.stringify({ books }) }], structuredContent: { books } },
    });
    expect(await call('setAside', { isbn: '01' }, answers(true))).toEqual(set(['Book 01']));
    expect(await call('setAside', { isbn: '02' }, answers(false))).toEqual(set(['Book 01']));
    expect(await call('setAside', { isbn: '02' }, answers(true))).toEqual(set(['Book 01', 'Book 02']));
    expect(await call('setAside', { isbn: '01' }, { ...answers(true), caller: NOBODY })).toMatchObject({
      verdict: 'sign_in_needed',
    });
  });

  it('the asking tool ends with its question where only another round can bring the answer', async ({ expect }) => {
    const asked = await call('bookTable', {}, { ask: { kind: 'rounds', client: CLIENT, answers: new Map() } });
    expect(asked).toMatchObject({
      kind: 'questions',
      questions: [{ key: 'when', needs: 'elicitation', params: { message: 'Which evening, and for how many?' } }],
    });
  });
});
