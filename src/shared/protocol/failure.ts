/** A JSON-RPC error as both SDKs can throw it: they read `code`, `message` and `data`, and add nothing of their own. */
import type { JsonObject } from '../json.ts';
import { RPC_CODE, type RpcError } from '../pipeline/fault.ts';

export class RpcFailure extends Error {
  override readonly name = 'RpcFailure';
  readonly code: number;
  readonly data?: JsonObject;

  constructor(error: RpcError) {
    super(error.message);
    this.code = error.code;
    if (error.data !== undefined) this.data = error.data;
  }
}

/** The text that both SDKs give for a method that they do not know. */
export const methodNotFound = (): RpcFailure =>
  new RpcFailure({ code: RPC_CODE.methodNotFound, message: 'Method not found' });
