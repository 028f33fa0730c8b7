/** Text of strangers as one line that does nothing: fit for a log, a table on a terminal, a row in a database. Pure. */

/** Control characters, what turns text around or joins it invisibly, and letters that show nothing: a name of those is none. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
/** So much is looked at for each character that is kept, whatever its length. */
const LOOKED_AT = 4;

/** For text whose lines and length are in order. */
export const printable = (text: string): string => text.replace(UNPRINTABLE, '');

/** The beginning of a text that may repeat what a caller sent; the whole where it is no longer than `max` units. */
export const shortened = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max).toWellFormed()}…`;

/** @param max Of UTF-16 units. */
export function oneLine(text: string, max: number): string {
  const cleaned = printable(text.slice(0, LOOKED_AT * max)).trim();
  return cleaned.length <= max ? cleaned : cleaned.slice(0, max).toWellFormed();
}
