/**
 * Makes a call that asks the user, and answers as a client of each lane would: over the call's own stream on legacy,
 * with another round on modern. What a lane cannot ask comes back as the call's answer at once.
 */
import { observe, type Observation } from '../../src/parity/observe.ts';
import { MessageReader } from '../support/events.ts';
import type { Lane, Message } from '../support/wire.ts';

/** By the text of the question, since legacy gives the client nothing else to tell them apart. */
export type Answers = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface Conversation {
  /** Each question as the client got it, in order. */
  readonly asked: readonly unknown[];
  readonly saw: Observation;
}

interface Question {
  readonly method: string;
  readonly params: { readonly message: string; readonly mode?: string };
}

export async function converse(lane: Lane, params: Record<string, unknown>, answers: Answers): Promise<Conversation> {
  return lane.name === 'modern' ? converseInRounds(lane, params, answers) : converseOnStream(lane, params, answers);
}

/** `mode` is dropped: the 2026 protocol says "form", and in 2025 a form is what no mode means. */
const seen = ({ method, params: { mode: _mode, ...params } }: Question) => ({ method, params });
const answerTo = (answers: Answers, { params }: Question) => answers[params.message] ?? { action: 'cancel' };

async function converseOnStream(lane: Lane, params: Record<string, unknown>, answers: Answers): Promise<Conversation> {
  const reader = new MessageReader(await lane.open('tools/call', params));
  const asked: unknown[] = [];
  let message: Message | undefined;
  while ((message = await reader.next()) !== undefined) {
    if (message.method === undefined) break;
    const question = message as unknown as Question;
    asked.push(seen(question));
    const answer = answerTo(answers, question);
    const reply = 'error' in answer ? answer : { result: answer };
    await (await lane.post({ jsonrpc: '2.0', id: message.id, ...reply })).body?.cancel();
  }
  return { asked, saw: observe(message) };
}

async function converseInRounds(lane: Lane, params: Record<string, unknown>, answers: Answers): Promise<Conversation> {
  const asked: unknown[] = [];
  let round: Record<string, unknown> = {};
  for (;;) {
    const { answer } = await lane.request('tools/call', { ...params, ...round });
    if (answer?.result?.['resultType'] !== 'input_required') return { asked, saw: observe(answer) };
    const questions = Object.entries(answer.result['inputRequests'] as Record<string, Question>);
    asked.push(...questions.map(([, question]) => seen(question)));
    round = {
      requestState: answer.result['requestState'],
      inputResponses: Object.fromEntries(questions.map(([key, question]) => [key, answerTo(answers, question)])),
    };
  }
}
