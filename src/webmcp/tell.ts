/** What this module writes on the console of the page. */
import type { Problem } from './options.ts';

/** How to switch it on, in words that the page of the example uses too. */
export const HOW_TO_SWITCH_ON =
  'Open the page over https or on localhost, in a Chromium that has WebMCP: start it with --enable-features=WebMCP.';

let isTold = false;

export function tellMissingOnce(): void {
  if (isTold) return;
  isTold = true;
  console.info(
    `[webmcp] This browser has no model context (document.modelContext), so no tools were registered. ${HOW_TO_SWITCH_ON}`,
  );
}

export const tellProblem = ({ message }: Problem): void => console.warn(`[webmcp] ${message}`);
