/** Completions for prompt arguments and template variables (spec 2025-11-25, server/utilities/completion). */
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { CallContext } from '../define/context.ts';
import type { Completer } from '../define/prompt.ts';
import { throughWire } from '../json.ts';
import { asError, asResult, type Answer } from './answered.ts';
import { invalidParams, type Completion } from './params.ts';

/** The protocol's own limit on values in one answer. */
const MOST_VALUES = 100;

export async function complete(catalogue: Catalogue, asked: Completion, ctx: CallContext): Promise<Answer> {
  const found = completersOf(catalogue, asked.ref);
  if (found === undefined) {
    const what =
      asked.ref.type === 'ref/prompt'
        ? `Unknown prompt: ${asked.ref.name}`
        : `Unknown resource template: ${asked.ref.uri}`;
    return asError(invalidParams(what).error);
  }
  const completer = Object.hasOwn(found, asked.argument) ? found[asked.argument] : undefined;
  const values = completer === undefined ? [] : await completer(asked.typed, asked.chosen, ctx);
  return asResult({
    completion: {
      values: throughWire(values.slice(0, MOST_VALUES)),
      total: values.length,
      hasMore: values.length > MOST_VALUES,
    },
  });
}

function completersOf(catalogue: Catalogue, ref: Completion['ref']): Readonly<Record<string, Completer>> | undefined {
  if (ref.type === 'ref/prompt') {
    const prompt = catalogue.prompts.get(ref.name);
    return prompt === undefined ? undefined : (prompt.complete ?? {});
  }
  const template = catalogue.templates.find(({ definition }) => definition.uriTemplate === ref.uri);
  if (template !== undefined) return template.definition.complete ?? {};
  return catalogue.resources.has(ref.uri) ? {} : undefined;
}
