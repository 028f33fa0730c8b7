/** Makes every function of a source file tell that it was entered. The file's text stays where it is, line by line. */
import { parseSync, Visitor } from 'oxc-parser';

interface Body {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/** The name by which the instrumented code finds the list of files, in every object of the isolate. */
export const ENTERED = '__enteredFiles';

/** @param file What the functions of this text say. */
export function instrument(text: string, file: string): string {
  const told = `globalThis.${ENTERED}?.add(${JSON.stringify(file)})`;
  const bodies: Body[] = [];
  const collect = ({ body }: { readonly body: Body | null }): void => {
    if (body !== null) bodies.push(body);
  };
  new Visitor({
    FunctionDeclaration: collect,
    FunctionExpression: collect,
    ArrowFunctionExpression: collect,
  }).visit(parseSync(file, text).program);
  const edits = bodies.flatMap(({ type, start, end }) =>
    type === 'BlockStatement' || type === 'FunctionBody'
      ? [{ at: start + 1, text: `${told};` }]
      : [
          { at: start, text: `(${told},(` },
          { at: end, text: '))' },
        ],
  );
  // From the end, so that the places that are left stay right; a closing edit before an opening one at the same place.
  return edits
    .toSorted((one, other) => other.at - one.at || (other.text === '))' ? -1 : 1))
    .reduce((changed, { at, text: added }) => changed.slice(0, at) + added + changed.slice(at), text);
}
