/** What is tried with each client on each route, and what came of it. */
import { CannotError, type Answer, type Driver, type Load, type Opened, type Target } from './driver.ts';
import { END } from './watch.ts';

export const CHECKS = ['connect', 'list', 'call', 'fail', 'count', 'ask', 'come back', 'session ended'] as const;
export type Check = (typeof CHECKS)[number];

export interface Cell {
  /** `not`: this client, or the lane that the route leads to, has no means to do it. */
  readonly is: 'pass' | 'not' | 'fail';
  readonly says?: string;
}
export type Cells = Readonly<Record<Check, Cell>>;

/** Longer than any of them takes on a busy machine, and shorter than their own timeouts. */
const STEP_MS = 15_000;
/** Who waits for an answer that cannot come would wait for minutes. */
const ENDED_MS = 4_000;
const TOOLS = ['add', 'refuse', 'count', 'confirm'];

export interface Trial {
  readonly driver: Driver;
  readonly load: Load;
  readonly target: Target;
  readonly asks: boolean;
  /** False saves the seconds that a client waits for an answer that cannot come. */
  readonly ends: boolean;
}

export async function tryClient({ driver, load, target, asks, ends }: Trial): Promise<Cells> {
  const cells: Partial<Record<Check, Cell>> = {};
  let client: Opened | undefined;
  let handle: string | undefined;
  const run = async (check: Check, body: () => Promise<Cell | string | void>): Promise<void> => {
    cells[check] = await cellOf(body);
  };
  const connected = async (): Promise<Opened> => (client ??= await bounded(driver(load, target)));

  await run('connect', async () => void (await connected()));
  if (client === undefined) {
    const rest: Cell = { is: cells.connect?.is === 'not' ? 'not' : 'fail', says: 'not connected' };
    return { ...(Object.fromEntries(CHECKS.map((check) => [check, rest])) as Cells), ...cells };
  }
  await run('list', async () => {
    const names = await bounded((await connected()).list());
    return expected(TOOLS.every((name) => names.includes(name)) && names.length === TOOLS.length, names.join(' '));
  });
  await run('call', async () => {
    const { text } = await call(await connected(), 'add', { a: 2, b: 3 });
    return expected(/\b5\b/.test(text), text);
  });
  await run('fail', async () => {
    const refused = await failureOf(await connected(), 'refuse');
    if (!refused.includes('There is nothing here.')) return { is: 'fail', says: `refused: ${refused}` };
    const unknown = await failureOf(await connected(), 'nope').catch((cause: unknown) => {
      if (cause instanceof CannotError) return 'Unknown tool: nope';
      throw cause;
    });
    return expected(unknown.includes('Unknown tool: nope'), `unknown: ${unknown}`);
  });
  await run('count', async () => {
    const first = countIn(await call(await connected(), 'count', { by: 2 }));
    handle = first.handle;
    const second = countIn(await call(await connected(), 'count', { by: 3 }));
    if (first.value !== 2) return { is: 'fail', says: JSON.stringify(first) };
    if (second.value === 5) return 'in its session';
    const named = countIn(await call(await connected(), 'count', { by: 3, handle }));
    return second.value === 3 && named.value === 5
      ? 'by handle'
      : { is: 'fail', says: JSON.stringify([second, named]) };
  });
  await run('ask', async () => {
    if (!asks) return { is: 'not', says: 'cannot be asked' };
    const answer = await call(await connected(), 'confirm', {}).catch((cause: unknown) => ({ text: String(cause) }));
    if (/this connection cannot carry one/.test(answer.text)) return { is: 'not', says: 'told to use another route' };
    return expected(answer.text.includes('confirmed') && !answer.text.includes('not confirmed'), answer.text);
  });
  await run('come back', async () => {
    await bounded((await connected()).close());
    client = undefined;
    const again = countIn(await call(await connected(), 'count', { by: 4, handle }));
    return expected(again.value === 9, JSON.stringify(again));
  });
  await run('session ended', async () => {
    if (!ends) return { is: 'not', says: 'not tried' };
    await fetch(new URL(END, target.url));
    const { text } = await call(await connected(), 'add', { a: 2, b: 3 }, ENDED_MS);
    return expected(/\b5\b/.test(text), text);
  });
  const ended = cells['session ended'];
  // What the server is to do is to end it; what comes next is the client's own way.
  if (ended?.is === 'fail') cells['session ended'] = { is: 'not', says: 'is to be connected again' };
  await cellOf(async () => bounded((await connected()).close()));
  return cells as Cells;
}

async function cellOf(body: () => Promise<Cell | string | void>): Promise<Cell> {
  try {
    const came = await body();
    if (came === undefined) return { is: 'pass' };
    return typeof came === 'string' ? { is: 'pass', says: came } : came;
  } catch (cause) {
    return { is: cause instanceof CannotError ? 'not' : 'fail', says: messageOf(cause) };
  }
}

const expected = (holds: boolean, came: string): Cell => (holds ? { is: 'pass' } : { is: 'fail', says: came });

/** A failure reaches a caller as a result or as an exception, which is the client's own business. */
async function failureOf(client: Opened, tool: string): Promise<string> {
  let answer: Answer;
  try {
    answer = await call(client, tool, {});
  } catch (cause) {
    if (cause instanceof CannotError) throw cause;
    return messageOf(cause);
  }
  return answer.text;
}

const call = (
  client: Opened,
  name: string,
  args: Readonly<Record<string, unknown>>,
  withinMs = STEP_MS,
): Promise<Answer> => bounded(client.call(name, args), withinMs);

function countIn({ text }: Answer): { value?: number; handle?: string } {
  const [, value] = /"value":\s*(\d+)/.exec(text) ?? [];
  const [, handle] = /"handle":\s*"([^"]+)"/.exec(text) ?? [];
  if (value === undefined || handle === undefined) throw new Error(text);
  return { value: Number(value), handle };
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

async function bounded<T>(work: Promise<T>, withinMs = STEP_MS): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing within ${withinMs / 1000} s`)), withinMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
