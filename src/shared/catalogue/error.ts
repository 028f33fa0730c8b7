/** The one error that building a catalogue throws. Its text names the definition and the remedy. */

export type DefinitionKind = 'tool' | 'prompt' | 'resource' | 'resource template' | 'state' | 'question' | 'catalogue';

/**
 * Definitions that cannot be served. The message names each with its remedy.
 *
 * @example
 * ```ts
 * try {
 *   createCatalogue({ info: { name: 'my-server', title: 'My server', version: '1.0.0' }, instructions: '', tools: [] });
 * } catch (error) {
 *   if (error instanceof CatalogueError) throw new Error('The tools cannot be served', { cause: error });
 * }
 * ```
 */
export class CatalogueError extends Error {
  override readonly name = 'CatalogueError';
  readonly kind: DefinitionKind;
  readonly definition: string;

  /** @param remedy A sentence that says what to change. */
  constructor(kind: DefinitionKind, definition: string, problem: string, remedy: string, options?: ErrorOptions) {
    super(`The ${kind} "${definition}" ${problem}. ${remedy}`, options);
    this.kind = kind;
    this.definition = definition;
  }
}

/** A registration does what no catalogue can serve: a mistake of the program, whoever calls. */
export class RegistrationError extends TypeError {
  override readonly name = 'RegistrationError';
}
