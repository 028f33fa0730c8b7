/** What is wrong with the configuration of a deployment, told to its operator as sentences of our own. */

/** Each problem names variables and bindings with a remedy, and never a value: a secret may stand in the wrong variable. */
export class ConfigurationProblems extends Error {
  override readonly name = 'ConfigurationProblems';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join(' '));
    this.problems = problems;
  }
}
