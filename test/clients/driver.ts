/** How a client is driven, whatever its interface is: connect, and from then on list, call, close. */

export interface Target {
  readonly url: string;
  readonly transport: 'http' | 'sse';
  /** The Worker that has a client of its own. */
  readonly worker: string;
}

export interface Answer {
  readonly text: string;
  readonly isError: boolean;
}

export interface Opened {
  list(): Promise<readonly string[]>;
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<Answer>;
  close(): Promise<void>;
}

/** Imports a module of the client's own installation, whose types this project does not have. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Load = (specifier: string) => Promise<any>;

export type Driver = (load: Load, target: Target) => Promise<Opened>;

/** What a client has no means to do is not a failure of the server. */
export class CannotError extends Error {}

/** What every question is answered. */
export const SURE = { action: 'accept', content: { sure: true } } as const;
export const INFO = { name: 'tried', version: '1.0.0' } as const;

interface CallResult {
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly isError?: boolean;
}

export const answerOf = ({ content = [], isError = false }: CallResult): Answer => ({
  text: content.map(({ text = '' }) => text).join('\n'),
  isError,
});

export const namesOf = (tools: readonly { readonly name: string }[]): readonly string[] =>
  tools.map(({ name }) => name);
