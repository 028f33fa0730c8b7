/**
 * `ctx.ask` and its kin over whatever way a lane has to reach the client. Asking twice with the same key gives the same
 * answer; answers are checked, wherever they came from.
 */
import { ASKABLE, type Askable, type Questions } from '../define/questions.ts';
import { isPlainObject } from '../json.ts';
import type { Deadline, Ending } from './clock.ts';
import { FaultSignal } from './fault.ts';
import type { AskedQuestion, AskPort, RawAnswer } from './ports.ts';
import { elicitation, rootsList, sampling, type QuestionOf } from './question.ts';

export interface Asking {
  readonly questions: Questions;
  /** Resolves when the tool waits for answers that only another round of the call can bring. */
  readonly suspended: Promise<readonly AskedQuestion[]>;
}

/** A never-settling promise: a tool that waits for another round must not run on. */
const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

export interface AskingOptions {
  /** The tool's or the prompt's name. */
  readonly tool: string;
  readonly port: AskPort;
  /** The protocol version that the client speaks; undefined for the newest. */
  readonly version: string | undefined;
  readonly deadline: Deadline;
  readonly ending: Ending;
  /** Called before each question; what it throws is thrown where the question is asked. */
  readonly beforeQuestion?: (key: string) => void;
}

export function startAsking(options: AskingOptions): Asking {
  const { tool, port, version, deadline, ending, beforeQuestion } = options;
  const answers = new Map<string, Promise<unknown>>();
  const open: AskedQuestion[] = [];
  let suspend: (questions: readonly AskedQuestion[]) => void = () => undefined;
  const suspended = new Promise<readonly AskedQuestion[]>((resolve) => {
    suspend = resolve;
  });

  const put = async <T>(question: QuestionOf<T>): Promise<T> => {
    const { asked } = question;
    const { key, needs } = asked;
    beforeQuestion?.(key);
    switch (port.kind) {
      case 'none':
        throw new FaultSignal({ fault: 'lane_cannot_ask', tool, needs, otherwiseAt: port.otherwiseAt });
      case 'push': {
        if (!port.client.has(needs)) throw new FaultSignal({ fault: 'client_cannot_be_asked', tool, needs });
        deadline.pause();
        try {
          const raw = await port.push(asked, ending.signal);
          if (raw === undefined) throw new FaultSignal({ fault: 'unanswered', tool, key });
          const answer = await readAnswer(tool, question, raw);
          if (answer === undefined) {
            const issues = [{ path: '', message: `This is not a result of ${asked.method}` }];
            throw new FaultSignal({ fault: 'invalid_answer', tool, key, issues });
          }
          return answer.value;
        } finally {
          deadline.resume();
        }
      }
      case 'rounds': {
        const raw = port.answers.get(key);
        const answer = raw === undefined ? undefined : await readAnswer(tool, question, raw);
        if (answer !== undefined) return answer.value;
        // The timer lets questions that were asked together be collected into one round.
        if (open.length === 0) setTimeout(() => suspend(open), 0);
        open.push(asked);
        return never();
      }
    }
  };

  const once = <T>(key: string, question: () => QuestionOf<T>): Promise<T> => {
    const known = answers.get(key);
    if (known !== undefined) return known as Promise<T>;
    // A question that cannot be put into JSON Schema is a rejection too, not a throw where it is asked.
    const answer = Promise.resolve().then(() => put(question()));
    answer.catch(() => undefined); // the tool may hold it without waiting for it
    answers.set(key, answer);
    return answer;
  };

  return {
    suspended,
    questions: {
      can: (what) => port.kind !== 'none' && port.client.has(what),
      ask: (key, question) => once(key, () => elicitation(tool, key, question, version)),
      sample: (key, request) => once(key, () => sampling(key, request, version)),
      roots: (key) => once(key, () => rootsList(key)),
    },
  };
}

/** Undefined for a result of another method: on a lane with rounds the question is then asked again. */
async function readAnswer<T>(
  tool: string,
  { asked, read }: QuestionOf<T>,
  raw: RawAnswer,
): Promise<{ value: T } | undefined> {
  const parsed = await read(raw);
  if (parsed === undefined) return undefined;
  if (!parsed.ok) {
    const fault = { fault: 'invalid_answer', tool, key: asked.key, issues: parsed.issues } as const;
    throw new FaultSignal(fault, { cause: parsed.cause });
  }
  return { value: parsed.value };
}

/** What a client's declared capabilities say it can be asked for (spec 2025-11-25, client/elicitation, capabilities). */
export function askableOf(capabilities: unknown): ReadonlySet<Askable> {
  if (!isPlainObject(capabilities)) return new Set();
  return new Set(
    ASKABLE.filter((name) => {
      const declared = capabilities[name];
      if (!isPlainObject(declared)) return false;
      // We ask with forms; a client that names only the other mode cannot draw one.
      return name !== 'elicitation' || declared['url'] === undefined || declared['form'] !== undefined;
    }),
  );
}
