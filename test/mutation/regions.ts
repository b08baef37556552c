import { applyEdits, childrenOf, nodeAt, nodesAt, parseTree, type Edit, type Node } from './syntax-tree.ts';

/** The global list in which an instrumented file marks its regions that have run. */
export const hitsName = '__regionHits';

/** A part of a file that runs, or does not run, as a whole. */
interface Region {
  readonly start: number;
  readonly end: number;
}

/** A file, and its text with a mark in each region. */
export interface InstrumentedFile {
  readonly path: string;
  readonly text: string;
  readonly regions: readonly Region[];
  /** The number of the file's first region among those of all files. */
  readonly firstRegion: number;
}

export function instrument(path: string, text: string, firstRegion: number): InstrumentedFile {
  const regions: Region[] = [];
  const edits: Edit[] = [];
  const marker: Marker = {
    mark: (region) => `globalThis.${hitsName}[${firstRegion + regions.push(region) - 1}] = 1`,
    insert: (position, inserted) => edits.push({ start: position, end: position, text: inserted }),
  };
  const visit = (node: Node): void => {
    markNode(node, marker);
    for (const child of childrenOf(node)) visit(child.node);
  };
  visit(parseTree(text));
  return { path, text: applyEdits(text, edits), regions, firstRegion };
}

/** Returns the number of the smallest region around a place; undefined for what runs when the file is imported. */
export function regionAt({ regions, firstRegion }: InstrumentedFile, { start, end }: Region): number | undefined {
  const around = [...regions.entries()].filter(([, region]) => region.start <= start && region.end >= end);
  const [smallest] = around.toSorted(([, one], [, other]) => one.end - one.start - (other.end - other.start));
  return smallest && smallest[0] + firstRegion;
}

interface Marker {
  /** Returns the statement that marks a region. */
  readonly mark: (region: Region) => string;
  readonly insert: (position: number, text: string) => void;
}

function markNode(node: Node, marker: Marker): void {
  if (node.type === 'BlockStatement') markStatements(nodesAt(node, 'body'), node, node.start + 1, marker);
  if (node.type === 'SwitchCase') markCase(node, marker);
  if (node.type === 'ArrowFunctionExpression') markExpression(nodeAt(node, 'body'), marker);
  if (node.type === 'PropertyDefinition') markExpression(nodeAt(node, 'value'), marker);
  for (const field of bodyFields[node.type] ?? []) markBody(nodeAt(node, field), marker);
}

/** Fields with statements that may stand without braces. */
const bodyFields: Readonly<Record<string, readonly string[]>> = {
  IfStatement: ['consequent', 'alternate'],
  ForStatement: ['body'],
  ForOfStatement: ['body'],
  ForInStatement: ['body'],
  WhileStatement: ['body'],
};

/** Statements after which the next one runs as well, unless something is thrown. */
const straight: ReadonlySet<string> = new Set(['VariableDeclaration', 'ExpressionStatement', 'FunctionDeclaration']);

/** Marks the begin of a list of statements, and the rest of it after each one that may leave it. */
function markStatements(statements: readonly Node[], { end }: Region, start: number, { mark, insert }: Marker): void {
  insert(start, `${mark({ start: start - 1, end })};`);
  for (const [index, statement] of statements.entries()) {
    const before = statements[index - 1];
    if (before === undefined || straight.has(before.type)) continue;
    insert(statement.start, `${mark({ start: statement.start, end })};`);
  }
}

function markCase(node: Node, marker: Marker): void {
  const [first, ...rest] = nodesAt(node, 'consequent');
  if (first === undefined || (first.type === 'BlockStatement' && rest.length === 0)) return;
  marker.insert(first.start, `${marker.mark({ start: first.start, end: node.end })};`);
}

function markExpression(node: Node | undefined, { mark, insert }: Marker): void {
  if (node === undefined || node.type === 'BlockStatement') return;
  insert(node.start, `(${mark(node)}, `);
  insert(node.end, ')');
}

function markBody(node: Node | undefined, { mark, insert }: Marker): void {
  if (node === undefined || node.type === 'BlockStatement') return;
  insert(node.start, `{${mark(node)};`);
  insert(node.end, '}');
}
