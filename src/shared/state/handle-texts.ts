/**
 * What a client reads about handles. A model often sees only a tool's name, its description and the text of its answers,
 * so each of them says what to do with the handle. Pure.
 */

/** Opens the description of every stateful tool: a model may read no further than a sentence or two. */
export const STATEFUL_DESCRIPTION =
  'Keeps state between calls: pass the "handle" of the last answer as the argument "handle", or the call may start from a new state.';

export const HANDLE_INPUT = {
  type: 'string',
  minLength: 1,
  description:
    'The handle of an earlier result, to go on with the same state. Leave it out to use the state of this session, or to start anew where there is no session.',
} as const;

export const HANDLE_OUTPUT = {
  type: 'string',
  description: 'Names this state: pass it back to go on with it, also from another session.',
} as const;

/** The last text of every answer of a stateful tool. */
export const handleText = (handle: string): string =>
  `To go on with this state, pass ${JSON.stringify(handle)} as the argument "handle" of the next call.`;
