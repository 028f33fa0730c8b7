/** Servers that go wrong in one way each. The sane ones among their answers are those of the copy. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { startHttp, type CopyServer } from './copy-server.ts';
import type { Message } from './faults.ts';

const json = (response: ServerResponse, status: number, body: unknown): void => {
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(typeof body === 'string' ? body : JSON.stringify(body));
};
const TOOL = {
  name: 'echo',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  annotations: { readOnlyHint: true },
};

export interface BadOptions {
  /** Answers a call of `echo`; without it the answer is fine. */
  readonly onCall?: (response: ServerResponse, message: Message, call: number) => void;
  readonly tool?: object;
  /** Answers everything; gives back true when it did. */
  readonly first?: (response: ServerResponse, message: Message, request: IncomingMessage) => boolean;
}

/** A small server of the 2025 era with one tool that answers with what it is asked. */
export function startBad({ onCall, tool = TOOL, first }: BadOptions = {}): Promise<CopyServer> {
  let calls = 0;
  return startHttp((message, response, request) => {
    if (first?.(response, message, request) === true) return;
    const { id, method } = message;
    if (id === undefined) {
      response.writeHead(202).end();
      return;
    }
    const answer = (result: object): void => json(response, 200, { jsonrpc: '2.0', id, result });
    if (method === 'initialize')
      return answer({
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'bad', version: '1' },
      });
    if (method === 'tools/list') return answer({ tools: [tool] });
    if (method === 'tools/call') {
      calls += 1;
      if (onCall !== undefined) return onCall(response, message, calls);
      return answer({ content: [{ type: 'text', text: JSON.stringify(message['params']) }] });
    }
    json(response, 200, { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
  });
}

export { json };
