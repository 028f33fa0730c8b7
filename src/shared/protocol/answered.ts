/** What a request that depends on the catalogue is answered with, before a lane puts it into its protocol. Types only. */
import type { RpcError } from '../pipeline/fault.ts';
import type { AskedQuestion } from '../pipeline/ports.ts';

export type Answer =
  | { readonly kind: 'result'; readonly result: Readonly<Record<string, unknown>> }
  | { readonly kind: 'error'; readonly error: RpcError }
  | { readonly kind: 'questions'; readonly questions: readonly AskedQuestion[] };
