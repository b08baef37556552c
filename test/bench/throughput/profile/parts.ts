/** A CPU profile of V8: the function on top of the stack at each sample, and the time between samples. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  /** Ids of nodes. */
  readonly samples: readonly number[];
  /** Microseconds since the previous sample. */
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: CallFrame;
  readonly children?: readonly number[];
}

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
}

/** A node of V8's allocation profile. Its children are the functions that it called. */
export interface AllocationNode {
  readonly callFrame: CallFrame;
  /** Bytes that this function allocated itself, estimated from samples. */
  readonly selfSize: number;
  readonly children: readonly AllocationNode[];
}

/** A package, or a folder of `src`. */
interface Part {
  readonly name: string;
  /** The share of the busy time of the thread or of the allocated bytes, from 0 to 1. */
  readonly share: number;
}

export interface Shares {
  /** The share of the whole time, from 0 to 1. Undefined for allocations. */
  readonly busy?: number;
  /** Parts by their share, in descending order. */
  readonly parts: readonly Part[];
}

const idle = 'idle';
const unattributed = 'Node.js itself';

/** Counts time in Node.js for the nearest caller outside of it, if the stack has one. */
export function sharesOf({ nodes, samples, timeDeltas }: CpuProfile): Shares {
  const partById = partsById(nodes);
  const times = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const part = partById.get(id) ?? unattributed;
    times.set(part, (times.get(part) ?? 0) + (timeDeltas[index] ?? 0));
  }
  const idleTime = times.get(idle) ?? 0;
  times.delete(idle);
  const { sum: busy, parts } = byShare(times);
  return { busy: busy / (busy + idleTime), parts };
}

/** Counts what Node.js allocates for the nearest caller outside of it, if the stack has one. */
export function sharesOfAllocations(root: AllocationNode): Shares {
  const bytes = new Map<string, number>();
  const open: [AllocationNode, string][] = [[root, unattributed]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [{ callFrame, selfSize, children }, caller] = next;
    const part = partOf(callFrame) ?? caller;
    bytes.set(part, (bytes.get(part) ?? 0) + selfSize);
    open.push(...children.map((child): [AllocationNode, string] => [child, part]));
  }
  return { parts: byShare(bytes).parts };
}

function byShare(amounts: ReadonlyMap<string, number>): { readonly sum: number; readonly parts: readonly Part[] } {
  const sum = [...amounts.values()].reduce((all, amount) => all + amount, 0);
  const parts = [...amounts].map(([name, amount]) => ({ name, share: amount / sum }));
  return { sum, parts: parts.toSorted((one, other) => other.share - one.share) };
}

function partsById(nodes: readonly ProfileNode[]): ReadonlyMap<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parts = new Map<number, string>();
  const [root] = nodes;
  const open: [number, string][] = root === undefined ? [] : [[root.id, unattributed]];
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

/** Returns undefined for frames that count for their caller. */
function partOf({ functionName, url }: CallFrame): string | undefined {
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
