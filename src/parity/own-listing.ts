/**
 * Holds a server against its own listing: two servers can agree and both break what they promise. Pure: the validator
 * is an argument.
 */
import type { Json } from '../shared/json.ts';
import { isUnfinished, refusalIn } from './answer-kind.ts';
import type { Observation } from './observe.ts';

export type BrokenPromise =
  | { readonly broken: 'no_structured_content' }
  | { readonly broken: 'output_schema'; readonly problem: string }
  /** The listing says that these arguments are fine, and the server says that they are not. */
  | { readonly broken: 'refuses_valid'; readonly answer: string }
  /** The listing says that these arguments are wrong, and the server worked with them. */
  | { readonly broken: 'accepts_invalid'; readonly problem: string };

/** What a validator says of a value: undefined when it is valid, the problem otherwise. */
export type Validate = (value: Json) => string | undefined;

/** The same where the answer may take a while, as it does for a schema that is worked on elsewhere. */
export type ValidateLater = (value: Json) => string | undefined | Promise<string | undefined>;

export interface Promises {
  readonly input?: ValidateLater;
  readonly output?: ValidateLater;
}

/** What the answer breaks of the tool's own promises; the first two are faults, the others are to be known. */
export async function brokenPromises(
  args: Json,
  saw: Observation,
  promises: Promises,
): Promise<readonly BrokenPromise[]> {
  if (saw.kind === 'harness_error') return [];
  const broken: BrokenPromise[] = [];
  const problem = await promises.input?.(args);
  const refused = refusalIn(saw);
  if (promises.input !== undefined && problem === undefined && refused !== undefined)
    broken.push({ broken: 'refuses_valid', answer: refused });
  if (saw.kind === 'error' || saw.result['isError'] === true || isUnfinished(saw.result)) return broken;
  if (problem !== undefined) broken.push({ broken: 'accepts_invalid', problem });
  if (promises.output === undefined) return broken;
  const content = saw.result['structuredContent'];
  if (content === undefined) return [...broken, { broken: 'no_structured_content' }];
  const wrong = await promises.output(content);
  return wrong === undefined ? broken : [...broken, { broken: 'output_schema', problem: wrong }];
}

export const isFault = ({ broken }: BrokenPromise): boolean =>
  broken === 'no_structured_content' || broken === 'output_schema';

export function promiseText(broken: BrokenPromise): string {
  switch (broken.broken) {
    case 'no_structured_content':
      return 'lists an outputSchema and answers without structuredContent';
    case 'output_schema':
      return `answers what its own outputSchema refuses: ${broken.problem}`;
    case 'refuses_valid':
      return `refuses arguments that its own inputSchema accepts: ${broken.answer}`;
    case 'accepts_invalid':
      return `works with arguments that its own inputSchema refuses: ${broken.problem}`;
  }
}
