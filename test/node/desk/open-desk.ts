/** The desk as a test uses it: tools through the call pipeline, everything else through the one answering function. */
import { deskCatalogue } from '../../../examples/desk/catalogue.ts';
import { callTool } from '../../../src/shared/pipeline/call-tool.ts';
import type { WireToolResult } from '../../../src/shared/pipeline/check-reply.ts';
import { answer, type CatalogueMethod } from '../../../src/shared/protocol/answer.ts';
import type { Answer } from '../../../src/shared/protocol/answered.ts';
import { fakePorts, type FakePorts } from '../../support/ports.ts';

export interface Desk {
  readonly ports: FakePorts;
  call(tool: string, args?: Readonly<Record<string, unknown>>): Promise<WireToolResult>;
  /** The text of a call that the tool or the pipeline refuses; throws where it succeeds. */
  refusal(tool: string, args?: Readonly<Record<string, unknown>>): Promise<string>;
  ask(method: CatalogueMethod, params?: unknown): Promise<Answer>;
}

export function openDesk(): Desk {
  const ports = fakePorts(deskCatalogue);
  const call: Desk['call'] = async (name, args = {}) => {
    const tool = deskCatalogue.tools.get(name);
    if (tool === undefined) throw new TypeError(`The desk has no tool "${name}".`);
    const outcome = await callTool(tool, args, ports, deskCatalogue.limits);
    if (outcome.kind !== 'result') throw new TypeError(`The tool "${name}" gave no result: ${JSON.stringify(outcome)}`);
    return outcome.result;
  };
  return {
    ports,
    call,
    refusal: async (name, args) => {
      const { isError, content } = await call(name, args);
      const [block] = content;
      if (isError !== true || block?.type !== 'text') throw new TypeError(`The tool "${name}" did not refuse.`);
      return block.text;
    },
    ask: (method, params = {}) => answer(deskCatalogue, method, params, ports),
  };
}
