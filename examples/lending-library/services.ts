/** What the tools need of their deployment, in their own words: no platform, so that a test gives them fakes. */

/** The sign-in's properties. The token is that of the caller, for the reviews, which know the same users. */
export interface SignIn {
  readonly role: 'reader' | 'staff';
  readonly token: string;
}

export interface Book {
  readonly isbn: string;
  readonly title: string;
  readonly author: string;
  readonly copies: number;
}

export interface Books {
  find(words: string): Promise<readonly Book[]>;
  get(isbn: string): Promise<Book | undefined>;
}

export interface Loan {
  readonly isbn: string;
  readonly title: string;
  /** The day by which it has to be back, such as `2026-12-22`. */
  readonly until: string;
}

export interface Loans {
  of(reader: string): Promise<readonly Loan[]>;
  /** The day by which it has to be back, also if this reader has it already; undefined if no copy is left. */
  borrow(reader: string, isbn: string, until: string): Promise<string | undefined>;
}

export interface Review {
  readonly by: string;
  readonly text: string;
}

export interface Reviews {
  of(isbn: string): Promise<readonly Review[]>;
  /** False if this caller may not. */
  write(isbn: string, text: string): Promise<boolean>;
}

export interface Hours {
  today(): Promise<string>;
  change(text: string): Promise<void>;
}

/** The number on a reader's card, which the readers at the door check. */
export type CardOf = (reader: string) => Promise<string>;
