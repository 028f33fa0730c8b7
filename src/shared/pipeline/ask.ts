/**
 * `ctx.ask` over whatever way a lane has to reach the user. Asking twice with the same key gives the same answer;
 * answers are checked against the question's own schema, wherever they came from.
 */
import type { Answer, Question } from '../define/context.ts';
import { parse, type Schema } from '../schema/standard.ts';
import { toObjectJsonSchema } from '../schema/convert.ts';
import type { Deadline } from './clock.ts';
import { FaultSignal } from './fault.ts';
import type { AskedQuestion, AskPort, RawAnswer } from './ports.ts';

export interface Asking {
  readonly ask: <S extends Schema>(key: string, question: Question<S>) => Promise<Answer<S>>;
  /** Resolves when the tool waits for answers that only another round of the call can bring. */
  readonly suspended: Promise<readonly AskedQuestion[]>;
}

/** A never-settling promise: a tool that waits for another round must not run on. */
const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

export function startAsking(tool: string, port: AskPort, deadline: Deadline, signal: AbortSignal): Asking {
  const answers = new Map<string, Promise<Answer<Schema>>>();
  const open: AskedQuestion[] = [];
  let suspend: (questions: readonly AskedQuestion[]) => void = () => undefined;
  const suspended = new Promise<readonly AskedQuestion[]>((resolve) => {
    suspend = resolve;
  });

  const put = async (key: string, question: Question<Schema>): Promise<Answer<Schema>> => {
    const asked: AskedQuestion = {
      key,
      message: question.message,
      requestedSchema: requestedSchema(tool, key, question.schema),
    };
    switch (port.kind) {
      case 'none':
        throw new FaultSignal({ fault: port.because === 'lane' ? 'lane_cannot_ask' : 'client_cannot_be_asked', tool });
      case 'push': {
        deadline.pause();
        try {
          const raw = await port.push(asked, signal);
          if (raw === undefined) throw new FaultSignal({ fault: 'unanswered', tool, key });
          return await checked(tool, key, question.schema, raw);
        } finally {
          deadline.resume();
        }
      }
      case 'rounds': {
        const raw = port.answers.get(key);
        if (raw !== undefined) return checked(tool, key, question.schema, raw);
        // The timer lets questions that were asked together be collected into one round.
        if (open.length === 0) setTimeout(() => suspend(open), 0);
        open.push(asked);
        return never();
      }
    }
  };

  return {
    suspended,
    ask: <S extends Schema>(key: string, question: Question<S>) => {
      const known = answers.get(key);
      if (known !== undefined) return known;
      const answer = put(key, question);
      answer.catch(() => undefined); // the tool may hold it without waiting for it
      answers.set(key, answer);
      return answer;
    },
  };
}

async function checked(tool: string, key: string, schema: Schema, raw: RawAnswer): Promise<Answer<Schema>> {
  if (raw.action !== 'accept') return { action: raw.action };
  const parsed = await parse(schema, raw.content ?? {});
  if (!parsed.ok) throw new FaultSignal({ fault: 'invalid_answer', tool, key, issues: parsed.issues });
  return { action: 'accept', content: parsed.value };
}

/** Per schema object, so that a question asked in every call is converted once an isolate. */
const converted = new WeakMap<object, AskedQuestion['requestedSchema']>();

function requestedSchema(tool: string, key: string, schema: Schema): AskedQuestion['requestedSchema'] {
  const known = converted.get(schema);
  if (known !== undefined) return known;
  const {
    $schema: _dialect,
    additionalProperties: _closed,
    ...form
  } = toObjectJsonSchema(schema, 'input', {
    kind: 'tool',
    name: tool,
    part: `"${key}" question`,
  });
  converted.set(schema, form);
  return form;
}
