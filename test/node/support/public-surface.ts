/** What the entry points of the package export, with the docstring of each, read from the sources. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '../../../scripts/lib/wrangler.ts';

export interface Exported {
  readonly name: string;
  /** As it is imported: `hybrid-mcp/define`. */
  readonly entry: string;
  readonly file: string;
  readonly isType: boolean;
  readonly doc: string | undefined;
}

const read = (file: string): string => readFileSync(path.join(PROJECT_ROOT, file), 'utf8');

export function publicSurface(): readonly Exported[] {
  const { exports } = JSON.parse(read('package.json')) as { exports: Readonly<Record<string, string>> };
  return Object.entries(exports)
    .filter(([, file]) => file.endsWith('.ts'))
    .flatMap(([entry, file]) => namesIn(entry.replace('.', 'hybrid-mcp'), path.normalize(file)));
}

function namesIn(entry: string, file: string): readonly Exported[] {
  const text = read(file);
  const at = (specifier: string): string => path.join(path.dirname(file), specifier);
  const forwarded = [...text.matchAll(/^export (type )?\{([^}]*)\} from '([^']+)';/gm)].flatMap(
    ([, type, names = '', specifier = '']) =>
      names
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '')
        .map((name) => {
          const plain = name.replace(/^type /, '').replace(/ as .*$/, '');
          return described(entry, plain, at(specifier), type !== undefined || name.startsWith('type '));
        }),
  );
  const all = [...text.matchAll(/^export \* from '([^']+)';/gm)].flatMap(([, specifier = '']) =>
    namesIn(entry, at(specifier)),
  );
  const own = [...text.matchAll(/^export (?:abstract |async )?(function|class|const|interface|type) (\w+)/gm)].map(
    ([, kind = '', name = '']) => described(entry, name, file, kind === 'interface' || kind === 'type'),
  );
  return [...forwarded, ...all, ...own];
}

function described(entry: string, name: string, file: string, isType: boolean): Exported {
  const text = read(file);
  const declaration = new RegExp(
    `(?:/\\*\\*((?:(?!\\*/)[^])*)\\*/\\n)?(?://.*\\n)?export (?:abstract |async )?(?:function|class|const|interface|type) ${name}\\b`,
  ).exec(text);
  if (declaration !== null) return { name, entry, file, isType, doc: declaration[1] };
  // A file between the entry point and the declaration.
  const next = [...text.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)';/gm)].find(([, names = '']) =>
    new RegExp(`\\b${name}\\b`).test(names),
  );
  if (next?.[2] === undefined) throw new Error(`${name} of ${entry} is not declared in ${file}`);
  return described(entry, name, path.join(path.dirname(file), next[2]), isType);
}
