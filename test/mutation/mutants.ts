import { changesOf, type Change } from './operators.ts';
import { childrenOf, nodeAt, parseTree, type Child, type Node } from './syntax-tree.ts';

/** One change of one file of `src`, which tests should notice. */
export interface Mutant extends Change {
  /** The path from the root. */
  readonly path: string;
  readonly line: number;
}

/** Returns all mutants of a file, in the order of the file. */
export function mutantsOf(path: string, text: string): readonly Mutant[] {
  const mutants: Mutant[] = [];
  const visit = (node: Node): void => {
    for (const change of changesOf(node, text)) mutants.push({ ...change, path, line: lineAt(text, change.start) });
    for (const child of childrenOf(node)) if (!isLeftOut(node, child)) visit(child.node);
  };
  visit(parseTree(text));
  return mutants.toSorted((one, other) => one.start - other.start);
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length;
}

/** Nodes that hold names, or texts for people. */
const leftOut: ReadonlySet<string> = new Set(['ImportDeclaration', 'ExportAllDeclaration', 'ThrowStatement']);
const textProperties: ReadonlySet<string> = new Set(['message', 'error', 'description']);

function isLeftOut(parent: Node, { field, node }: Child): boolean {
  if (leftOut.has(node.type) || isAssertion(node)) return true;
  if (field === 'key' && parent['computed'] !== true) return true;
  if (parent.type === 'NewExpression' && field === 'arguments')
    return nameOf(nodeAt(parent, 'callee')).endsWith('Error');
  if (parent.type === 'PropertyDefinition') return nameOf(nodeAt(parent, 'key')) === 'name';
  return parent.type === 'Property' && isText(node) && textProperties.has(nameOf(nodeAt(parent, 'key')));
}

/** An assertion that holds can be removed without a difference. */
function isAssertion(node: Node): boolean {
  const call = node.type === 'ExpressionStatement' ? nodeAt(node, 'expression') : undefined;
  const callee = call?.type === 'CallExpression' ? nodeAt(call, 'callee') : undefined;
  return /^(?:assert|super$)/.test(nameOf(callee)) || callee?.type === 'Super';
}

function nameOf(node: Node | undefined): string {
  return typeof node?.['name'] === 'string' ? node['name'] : '';
}

function isText({ type }: Node): boolean {
  return type === 'Literal' || type === 'TemplateLiteral';
}
