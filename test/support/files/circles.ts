import type { SourceFile } from './sources.ts';

/**
 * Returns the circles among the direct children of any folder, each as one line.
 * A child is a file or a whole subfolder, so `a/` must not import from `b/` while `b/` imports from `a/`.
 */
export function circlesOf(files: readonly Pick<SourceFile, 'path' | 'imports'>[]): readonly string[] {
  return [...edgesByFolder(files)].flatMap(([folder, edges]) => {
    const circle = findCircle(edges);
    return circle === undefined ? [] : [`${folder}: ${circle.join(' → ')}`];
  });
}

type Edges = ReadonlyMap<string, ReadonlySet<string>>;

function edgesByFolder(files: readonly Pick<SourceFile, 'path' | 'imports'>[]): ReadonlyMap<string, Edges> {
  const folders = new Map<string, Map<string, Set<string>>>();
  for (const { path, imports } of files) {
    for (const { target } of imports) {
      const [folder, from, to] = splitAtFork(path, target);
      if (from === undefined || to === undefined) continue;
      const edges = folders.get(folder) ?? new Map<string, Set<string>>();
      edges.set(from, (edges.get(from) ?? new Set()).add(to));
      folders.set(folder, edges);
    }
  }
  return folders;
}

/** Returns the deepest folder that holds both paths, and the child of it that each is in. */
function splitAtFork(
  path: string,
  target: string,
): readonly [folder: string, from: string | undefined, to: string | undefined] {
  const [one, other] = [path.split('/'), target.split('/')];
  const fork = one.findIndex((part, index) => part !== other[index]);
  return [one.slice(0, fork).join('/'), one[fork], other[fork]];
}

function findCircle(edges: Edges): readonly string[] | undefined {
  const done = new Set<string>();
  const visit = (node: string, trail: readonly string[]): readonly string[] | undefined => {
    if (trail.includes(node)) return [...trail.slice(trail.indexOf(node)), node];
    if (done.has(node)) return undefined;
    for (const next of edges.get(node) ?? []) {
      const circle = visit(next, [...trail, node]);
      if (circle !== undefined) return circle;
    }
    done.add(node);
    return undefined;
  };
  for (const node of edges.keys()) {
    const circle = visit(node, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}
