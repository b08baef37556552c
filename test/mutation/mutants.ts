import { changesOf } from './operators.ts';
import { childrenOf, nodeAt, parseTree, type Child, type Edit, type Node } from './syntax-tree.ts';

/** One change of one file of `src`, which tests should notice. */
export interface Mutant extends Edit {
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
  if (isErrorArgument(parent, field)) return true;
  return isText(node) && (isForPeople(parent) || isCheckedByCompiler(parent, field));
}

/** Names of error classes, and texts in properties for them. */
function isForPeople(parent: Node): boolean {
  const key = nameOf(nodeAt(parent, 'key'));
  return parent.type === 'PropertyDefinition' ? key === 'name' : parent.type === 'Property' && textProperties.has(key);
}

function isErrorArgument(parent: Node, field: string): boolean {
  return parent.type === 'NewExpression' && field === 'arguments' && nameOf(nodeAt(parent, 'callee')).endsWith('Error');
}

/** Words of a closed union. The compiler refuses any other one. */
function isCheckedByCompiler(parent: Node, field: string): boolean {
  if (parent.type === 'Property') return nameOf(nodeAt(parent, 'key')) === 'kind';
  if (parent.type === 'BinaryExpression') return /^[!=]==$/.test(String(parent['operator']));
  return parent.type === 'SwitchCase' && field === 'test';
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

function isText({ type, value }: Node): boolean {
  return type === 'TemplateLiteral' || (type === 'Literal' && typeof value === 'string');
}
