import { parseSync } from 'vite';

/** A node of the syntax tree (ESTree), as the parser of Vite returns it. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** Parses a file of TypeScript. */
export function parseTree(text: string): Node {
  const { program, errors }: { program: unknown; errors: readonly unknown[] } = parseSync('file.ts', text);
  if (!isNode(program) || errors.length > 0) throw new SyntaxError(`this is no TypeScript: ${text}`);
  return program;
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** Returns the node in a field; undefined if none is there. */
export function nodeAt(node: Node, field: string): Node | undefined {
  const value = node[field];
  return isNode(value) ? value : undefined;
}

/** Returns the nodes in a field that holds a list. */
export function nodesAt(node: Node, field: string): readonly Node[] {
  const value = node[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** Fields that hold types, which do not exist at run time. */
const typeFields: ReadonlySet<string> = new Set([
  'typeAnnotation',
  'typeParameters',
  'typeArguments',
  'superTypeArguments',
  'returnType',
  'implements',
]);

/** Nodes of TypeScript around an expression that exists at run time. */
const typedExpressions: ReadonlySet<string> = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
]);

/** A node below another one, and the field that holds it. */
export interface Child {
  readonly field: string;
  readonly node: Node;
}

/** Returns the nodes directly below this one that exist at run time. */
export function childrenOf(node: Node): readonly Child[] {
  return Object.entries(node)
    .filter(([field]) => !typeFields.has(field))
    .flatMap(([field, value]) => (Array.isArray(value) ? value : [value]).map((one: unknown) => ({ field, node: one })))
    .filter((child): child is Child => isNode(child.node) && existsAtRunTime(child.node));
}

function existsAtRunTime({ type }: Node): boolean {
  return !type.startsWith('TS') || typedExpressions.has(type);
}

/** Replaces a part of a text. Two of equal start and end insert. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies edits that do not overlap. Those at one place are applied in their order. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = '';
  let at = 0;
  for (const edit of edits.toSorted((one, other) => one.start - other.start)) {
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at);
}
