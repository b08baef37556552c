/** What V8's profiler tells: how often it met which function on top of the stack, and how long that was. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  /** Ids of nodes. */
  readonly samples: readonly number[];
  /** Microseconds from the sample before. */
  readonly timeDeltas: readonly number[];
}

export interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

/** A part of the program, and how much of the time that the thread was busy it took, from 0 to 1. */
export interface Part {
  readonly name: string;
  readonly share: number;
}

export interface Shares {
  /** Of all the time. */
  readonly busy: number;
  /** The largest first. */
  readonly parts: readonly Part[];
}

const idle = 'idle';
const unknown = 'Node.js itself';

/** What Node.js does for somebody counts as theirs, as far as the stack tells for whom. */
export function sharesOf({ nodes, samples, timeDeltas }: CpuProfile): Shares {
  const partById = partsById(nodes);
  const times = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const part = partById.get(id) ?? unknown;
    times.set(part, (times.get(part) ?? 0) + (timeDeltas[index] ?? 0));
  }
  const all = [...times.values()].reduce((sum, time) => sum + time, 0);
  const busy = all - (times.get(idle) ?? 0);
  times.delete(idle);
  const parts = [...times].map(([name, time]) => ({ name, share: time / busy }));
  return { busy: busy / all, parts: parts.toSorted((one, other) => other.share - one.share) };
}

function partsById(nodes: readonly ProfileNode[]): ReadonlyMap<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parts = new Map<number, string>();
  const [root] = nodes;
  const open: [number, string][] = root === undefined ? [] : [[root.id, unknown]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [id, caller] = next;
    const node = byId.get(id);
    if (node === undefined) continue;
    const part = partOf(node.callFrame) ?? caller;
    parts.set(id, part);
    open.push(...(node.children ?? []).map((child): [number, string] => [child, part]));
  }
  return parts;
}

/** Undefined: that of whoever called it. */
function partOf({ functionName, url }: ProfileNode['callFrame']): string | undefined {
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (functionName === '(idle)') return idle;
  const library = /node_modules\/(?<name>(?:@[^/]+\/)?[^/]+)/.exec(url)?.groups?.['name'];
  if (library !== undefined) return library;
  const own = /\/src\/(?<file>.+)\.ts$/.exec(url)?.groups?.['file'];
  return own === undefined ? undefined : `src/${folderOf(own)}`;
}

function folderOf(file: string): string {
  const folders = file.split('/').slice(0, -1);
  return folders.length === 0 ? `${file}.ts` : folders.join('/');
}
