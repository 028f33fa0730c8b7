/** Whose code a CPU profile's time was spent in, by the places where the bundler put each module. Pure. */

/** What V8 gives (https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile). */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly lineNumber: number };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

export interface Share {
  readonly owner: string;
  readonly us: number;
}

/** The places in a bundle where a module begins, as esbuild marks them, with the owner that each is counted for. */
const MODULE = /^\/\/ ((?:\.\.\/)*(?:src|bench|node_modules)\/\S+\.[cm]?[jt]s)$/;

/** The owner of each line of a bundle: a package, or a folder of our own. */
export function ownersOf(bundle: string): readonly string[] {
  let owner = 'other';
  return bundle.split('\n').map((line) => {
    const file = MODULE.exec(line)?.[1];
    if (file !== undefined) owner = ownerOf(file);
    return owner;
  });
}

function ownerOf(file: string): string {
  const [, inside = ''] = /.*node_modules\/(.*)/.exec(file) ?? [];
  if (inside !== '')
    return inside.startsWith('@') ? inside.split('/').slice(0, 2).join('/') : (inside.split('/')[0] ?? '');
  return file
    .replace(/^(\.\.\/)+/, '')
    .split('/')
    .slice(0, 2)
    .join('/');
}

/**
 * Time by owner, the largest first. What the runtime does counts for whoever called it; waiting is left out.
 * @param owners By line of the bundle, from `ownersOf`.
 */
export function sharesOf(profile: CpuProfile, owners: readonly string[]): readonly Share[] {
  const us = new Map<number, number>();
  profile.samples.forEach((id, index) => us.set(id, (us.get(id) ?? 0) + (profile.timeDeltas[index] ?? 0)));
  const byId = new Map(profile.nodes.map((node) => [node.id, node]));
  const sums = new Map<string, number>();
  const walk = (id: number, caller: string): void => {
    const node = byId.get(id);
    if (node === undefined) return;
    const { functionName, lineNumber } = node.callFrame;
    const owner = lineNumber < 1 ? runtime(functionName, caller) : (owners[lineNumber] ?? caller);
    if (functionName !== '(idle)') sums.set(owner, (sums.get(owner) ?? 0) + (us.get(id) ?? 0));
    for (const child of node.children ?? []) walk(child, owner);
  };
  const [root] = profile.nodes;
  if (root !== undefined) walk(root.id, 'runtime');
  return [...sums].map(([owner, time]) => ({ owner, us: time })).toSorted((one, other) => other.us - one.us);
}

/** V8's own names for what is nobody's function; everything else that has no line is the caller's. */
function runtime(name: string, caller: string): string {
  if (name === '(garbage collector)') return 'garbage collection';
  return name === '(root)' || name === '(program)' ? 'runtime' : caller;
}
