/** What the documents of the comparison show is what the program reads: their YAML, their flags, the action's inputs. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'vitest';
import { parse } from 'yaml';
import { program } from '../../../cli/parity/flags.ts';
import allowedSchema from '../../../cli/parity/schema/allowed.schema.json' with { type: 'json' };
import configSchema from '../../../cli/parity/schema/config.schema.json' with { type: 'json' };
import scenarioSchema from '../../../cli/parity/schema/scenario.schema.json' with { type: 'json' };
import { compileSchema } from '../../../cli/parity/validate.ts';
import type { Json } from '../../../src/shared/json.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const textOf = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
const GUIDE = textOf('docs/parity-cli.md');
const IN_CI = textOf('docs/parity-in-ci.md');
const ACTION = '.github/actions/mcp-parity';

const fences = (text: string): string[] => [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, body = '']) => body);
const problemOf = (schema: unknown, text: string): string | undefined => {
  const compiled = compileSchema(schema);
  return compiled.ok ? compiled.validate(parse(text) as Json) : compiled.why;
};

describe('the guide', () => {
  it('shows a scenario, allowed differences and a configuration that their schemas accept', ({ expect }) => {
    const [scenario, allowed, config, ...more] = fences(GUIDE);
    expect(more).toEqual([]);
    expect(problemOf(scenarioSchema, scenario ?? '')).toBeUndefined();
    expect(problemOf(allowedSchema, allowed ?? '')).toBeUndefined();
    expect(problemOf(configSchema, config ?? '')).toBeUndefined();
    // Each schema refuses what belongs to another.
    expect(problemOf(configSchema, scenario ?? '')).toBeDefined();
  });

  it('names only flags that there are', ({ expect }) => {
    const { commands } = program({
      run: () => Promise.resolve(),
      verify: () => Promise.resolve(),
      completion: () => undefined,
    });
    const known = new Set(['--help', ...commands.flatMap(({ options }) => options.map(({ long }) => long))]);
    const named = [...`${GUIDE}${IN_CI}`.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([flag]) => flag);
    expect(named.length).toBeGreaterThan(30);
    expect([...new Set(named)].filter((flag) => !known.has(flag) && flag !== '--flag')).toEqual([]);
  });
});

describe('the action', () => {
  const action = parse(textOf(`${ACTION}/action.yml`)) as {
    inputs: Record<string, { default?: string; required?: boolean }>;
    runs: { steps: { env?: Record<string, string>; run?: string }[] };
  };

  it('has every input that its document names, and no other', ({ expect }) => {
    const [, table = ''] = /\n\| input \|.*\n([\s\S]*?)\n\n/.exec(IN_CI) ?? [];
    const cells = table.split('\n').flatMap((line) => (line.split('|')[1] ?? '').match(/(?<=`)[a-z-]+(?=`)/g) ?? []);
    expect(cells.toSorted()).toEqual(Object.keys(action.inputs).toSorted());
  });

  it('hands every variable over that its script reads, and no input as text of a script', ({ expect }) => {
    const script = textOf(`${ACTION}/compare.sh`);
    const read = [...script.matchAll(/\$\{?([A-Z_]+)/g)].map(([, name = '']) => name);
    const given = new Set([
      'GITHUB_STEP_SUMMARY',
      'GITHUB_OUTPUT',
      ...action.runs.steps.flatMap(({ env }) => Object.keys(env ?? {})),
    ]);
    expect(read.length).toBeGreaterThan(10);
    expect(read.filter((name) => !given.has(name))).toEqual([]);
    expect(action.runs.steps.filter(({ run }) => run?.includes('inputs.'))).toEqual([]);
  });
});
