/** Why a command ends early: one sentence on what is wrong, and one on what to do about it. */

/** 1: the answer is no, or not yet. 2: the command could not do its work. */
export type FailureCode = 1 | 2;

export class Stop extends Error {
  override readonly name = 'Stop';
  readonly exitCode: FailureCode;
  readonly remedy: string;

  constructor(exitCode: FailureCode, message: string, remedy: string) {
    super(message);
    this.exitCode = exitCode;
    this.remedy = remedy;
  }
}

export const refused = (message: string, remedy: string): Stop => new Stop(1, message, remedy);
export const couldNot = (message: string, remedy: string): Stop => new Stop(2, message, remedy);
