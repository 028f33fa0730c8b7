/** Asks a catalogue as a lane does: for the view of a caller, and then for the answer. */
import { callerOf, subjectIn } from '../../../src/shared/caller.ts';
import type { Catalogue } from '../../../src/shared/catalogue/catalogue.ts';
import { viewOf } from '../../../src/shared/catalogue/views.ts';
import type { CallRequest } from '../../../src/shared/define/context.ts';
import type { Json } from '../../../src/shared/json.ts';
import type { AskPort, CallPorts } from '../../../src/shared/pipeline/ports.ts';
import type { Report } from '../../../src/shared/pipeline/report.ts';
import { answer, type CatalogueMethod } from '../../../src/shared/protocol/answer.ts';
import type { Answer } from '../../../src/shared/protocol/answered.ts';
import { systemWorld } from '../../../src/shared/world.ts';

export interface Asking {
  /** Of the sign-in; undefined for a caller without one. */
  readonly props?: Readonly<Record<string, unknown>> | undefined;
  readonly reports?: Report[];
  readonly ask?: AskPort;
  readonly request?: CallRequest;
  readonly told?: { progress: unknown[]; logged: Json[] };
}

export async function ask(
  catalogue: Catalogue,
  method: CatalogueMethod,
  params: Readonly<Record<string, unknown>> = {},
  asking: Asking = {},
): Promise<Answer> {
  const caller = callerOf(asking.props, { subjectOf: subjectIn('login') });
  const report = (what: Report): unknown => asking.reports?.push(what);
  const ports: CallPorts = {
    world: systemWorld,
    signal: new AbortController().signal,
    client: { name: 'test', version: '1.0.0' },
    caller,
    services: () => undefined,
    ask: asking.ask ?? { kind: 'none', otherwiseAt: '/legacy/mcp' },
    state: { apply: () => Promise.reject(new Error('There is no state here')) },
    report,
    ...(asking.request !== undefined && { request: () => asking.request as CallRequest }),
    progress: async (update) => void asking.told?.progress.push(update),
    log: async (level, data) => void asking.told?.logged.push({ level, data }),
  };
  return answer(await viewOf(catalogue, caller, report), method, params, ports);
}

/** The result, or the error, without the frame. */
export async function asked(...args: Parameters<typeof ask>): Promise<unknown> {
  const answered = await ask(...args);
  return answered.kind === 'result' ? answered.result : answered.kind === 'error' ? answered.error : answered.questions;
}
