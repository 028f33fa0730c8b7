/** Parts of the texts that refuse an id. A refusal names what was wrong and where right values are. Pure. */
import { INDEX_URI } from './documents/document.ts';

/** A text must not grow with what was sent. */
const QUOTED_CHARS = 40;

/** Quotes a value of the caller in a text for the caller, shortened. */
export function quoted(value: string): string {
  return JSON.stringify(value.length > QUOTED_CHARS ? `${value.slice(0, QUOTED_CHARS)}…` : value);
}

export const noSuchDocument = (id: string): string =>
  `No document has the id ${quoted(id)}. Ids are in the hits of the tool search, and ${INDEX_URI} lists them all.`;
