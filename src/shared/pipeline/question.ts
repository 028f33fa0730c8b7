/** The three kinds of question: the request that the client gets, and how its result is read. Pure. */
import type { Answer, Question, Root, Sample, SampleRequest } from '../define/questions.ts';
import type { ContentBlock } from '../define/reply.ts';
import { isPlainObject, type JsonObject, throughWire } from '../json.ts';
import { toForm } from '../schema/form.ts';
import { parse, type Parsed, type Schema } from '../schema/standard.ts';
import { blocksProblem } from './check-reply.ts';
import { olderForm } from './older-form.ts';
import type { AskedQuestion, RawAnswer } from './ports.ts';
import { hasSince, sampleFor } from './versions.ts';

export interface QuestionOf<T> {
  readonly asked: AskedQuestion;
  /** Undefined for a result that is not one of this method's. */
  readonly read: (raw: RawAnswer) => Promise<Parsed<T> | undefined>;
}

export function elicitation<S extends Schema>(
  tool: string,
  key: string,
  { message, schema }: Question<S>,
  version: string | undefined,
): QuestionOf<Answer<S>> {
  const form = formOf(tool, key, schema);
  const older = hasSince(version, 'multipleChoice') ? undefined : olderForm(form);
  const params = throughWire({ message, requestedSchema: older?.form ?? form });
  return {
    asked: { key, needs: 'elicitation', method: 'elicitation/create', params },
    read: async ({ action, content = {} }) => {
      if (action === 'decline' || action === 'cancel') return { ok: true, value: { action } };
      if (action !== 'accept') return undefined;
      const parsed = await parse(schema, isPlainObject(content) ? (older?.read(content) ?? content) : content);
      return parsed.ok ? { ok: true, value: { action, content: parsed.value } } : parsed;
    },
  };
}

export function sampling(key: string, request: SampleRequest, version: string | undefined): QuestionOf<Sample> {
  const messages = request.messages.map((message) => ({ ...message, content: sampleFor(version, message.content) }));
  const params = throughWire({ ...request, messages } as unknown as JsonObject);
  return {
    asked: { key, needs: 'sampling', method: 'sampling/createMessage', params },
    read: ({ content, model, stopReason }) => {
      const blocks = Array.isArray(content) ? content : [content];
      if (typeof model !== 'string' || blocksProblem(blocks) !== undefined) return Promise.resolve(undefined);
      const sample = { content: blocks as ContentBlock[], model };
      return Promise.resolve({
        ok: true,
        value: typeof stopReason === 'string' ? { ...sample, stopReason } : sample,
      });
    },
  };
}

export function rootsList(key: string): QuestionOf<readonly Root[]> {
  return {
    asked: { key, needs: 'roots', method: 'roots/list', params: {} },
    read: ({ roots }) =>
      Promise.resolve(Array.isArray(roots) && roots.every(isRoot) ? { ok: true, value: roots } : undefined),
  };
}

const isRoot = (value: unknown): value is Root =>
  isPlainObject(value) &&
  typeof value['uri'] === 'string' &&
  (value['name'] === undefined || typeof value['name'] === 'string');

/** Per schema object, so that a question asked in every call is converted once per isolate. */
const converted = new WeakMap<object, JsonObject>();

function formOf(tool: string, key: string, schema: Schema): JsonObject {
  const known = converted.get(schema);
  if (known !== undefined) return known;
  const form = toForm(schema, { kind: 'tool', name: tool, part: `"${key}" question` });
  converted.set(schema, form);
  return form;
}
