import { nodeAt, nodesAt, type Edit, type Node } from './syntax-tree.ts';

/** Proposes changes of a node. `text` is that of its file. */
type Operator = (node: Node, text: string) => readonly Edit[];

/** Returns all changes of one node. */
export function changesOf(node: Node, text: string): readonly Edit[] {
  return (operators[node.type] ?? []).flatMap((operator) => operator(node, text));
}

const opposites: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '**': ['*'],
  '&': ['|'],
  '|': ['&'],
  '^': ['&'],
  '<<': ['>>>'],
  '>>': ['<<'],
  '>>>': ['<<'],
  '&&': ['||'],
  '||': ['&&'],
  '+=': ['-='],
  '-=': ['+='],
  '*=': ['/='],
  '??=': ['='],
  '||=': ['&&='],
  '&&=': ['||='],
};

const otherMethods: Readonly<Record<string, string>> = {
  min: 'max',
  max: 'min',
  floor: 'ceil',
  ceil: 'floor',
  some: 'every',
  every: 'some',
};

/** Above it a number is a bound that was chosen, and one more of it is no defect. */
const largestCount = 64;

const operators: Readonly<Record<string, readonly Operator[]>> = {
  BinaryExpression: [replaceOperator],
  LogicalExpression: [replaceOperator, dropFallback],
  AssignmentExpression: [replaceOperator],
  UnaryExpression: [dropSign],
  Literal: [replaceLiteral],
  TemplateLiteral: [emptyTemplate],
  ArrayExpression: [emptyArray],
  MemberExpression: [replaceMethod, dropOptional('property')],
  CallExpression: [dropOptional('callee')],
  IfStatement: [decideCondition],
  ConditionalExpression: [decideCondition],
  WhileStatement: [neverLoop],
  ForStatement: [neverLoop],
  DoWhileStatement: [neverLoop],
  ExpressionStatement: [removeStatement],
  ReturnStatement: [returnNothing('argument')],
  ArrowFunctionExpression: [returnNothing('body')],
  BlockStatement: [emptyBlock],
};

function replace({ start, end }: Pick<Edit, 'start' | 'end'>, text: string): Edit {
  return { start, end, text };
}

/** Replaces the operator between two operands. */
function replaceOperator(node: Node, text: string): readonly Edit[] {
  const [left, right, symbol] = [nodeAt(node, 'left'), nodeAt(node, 'right'), node['operator']];
  if (left === undefined || right === undefined || typeof symbol !== 'string') return [];
  if (symbol.startsWith('+') && [left, right].some(isText)) return [];
  const start = text.indexOf(symbol, left.end);
  const place = { start, end: start + symbol.length };
  return (opposites[symbol] ?? []).map((other) => replace(place, other));
}

/** Removes what stands in for a missing value. The other operators may not stand beside `??`. */
function dropFallback(node: Node, text: string): readonly Edit[] {
  const left = nodeAt(node, 'left');
  if (left === undefined || node['operator'] !== '??') return [];
  return [replace(node, `(${text.slice(left.start, left.end)})`)];
}

function isText({ type, value }: Node): boolean {
  return type === 'TemplateLiteral' || (type === 'Literal' && typeof value === 'string');
}

function dropSign(node: Node): readonly Edit[] {
  const isSign = node['operator'] === '!' || node['operator'] === '-';
  return isSign ? [{ start: node.start, end: node.start + 1, text: '' }] : [];
}

function replaceLiteral(node: Node): readonly Edit[] {
  const { value } = node;
  if (typeof value === 'boolean') return [replace(node, String(!value))];
  if (typeof value === 'number') return numbersFor(node, value);
  return typeof value === 'string' && isWord(value) ? [replace(node, "''")] : [];
}

function numbersFor(node: Node, value: number): readonly Edit[] {
  if (value > largestCount && !String(node['raw']).startsWith('0x')) return [replace(node, `${value * 2}`)];
  return (value > 0 ? [value + 1, value - 1] : [value + 1]).map((other) => replace(node, `${other}`));
}

/** A text with a space in it is for people. Its wording is no behaviour. */
function isWord(text: string): boolean {
  return text !== '' && !text.includes(' ');
}

function emptyTemplate(node: Node, text: string): readonly Edit[] {
  return text
    .slice(node.start, node.end)
    .replaceAll(/\$\{[^}]*\}/g, '')
    .includes(' ')
    ? []
    : [replace(node, '``')];
}

function emptyArray(node: Node): readonly Edit[] {
  return nodesAt(node, 'elements').length > 0 ? [replace(node, '[]')] : [];
}

function replaceMethod(node: Node): readonly Edit[] {
  const property = nodeAt(node, 'property');
  const other = otherMethods[String(property?.['name'])];
  return property === undefined || other === undefined ? [] : [replace(property, other)];
}

/** `before` is the field of the node that the question mark follows or precedes. */
function dropOptional(before: 'property' | 'callee'): Operator {
  return (node, text) => {
    if (node['optional'] !== true) return [];
    const object = nodeAt(node, before === 'callee' ? 'callee' : 'object');
    const start = text.indexOf('?.', object?.end ?? node.start);
    const keepsDot = before === 'property' && node['computed'] !== true;
    return [{ start, end: start + 2, text: keepsDot ? '.' : '' }];
  };
}

function decideCondition(node: Node): readonly Edit[] {
  const test = nodeAt(node, 'test');
  return test === undefined ? [] : ['true', 'false'].map((text) => replace(test, text));
}

/** A loop that never ends is not told from one that is slow, so there is no `true`. */
function neverLoop(node: Node): readonly Edit[] {
  const test = nodeAt(node, 'test');
  const isEndless = test?.type === 'Literal';
  return test === undefined || isEndless ? [] : [replace(test, 'false')];
}

function removeStatement(node: Node): readonly Edit[] {
  return [replace(node, ';')];
}

/** Results that other operators change. */
const changedOtherwise: ReadonlySet<string> = new Set([
  'Literal',
  'TemplateLiteral',
  'BinaryExpression',
  'LogicalExpression',
  'ConditionalExpression',
  'UnaryExpression',
  'ArrayExpression',
  'BlockStatement',
]);

function returnNothing(field: 'argument' | 'body'): Operator {
  return (node) => {
    const result = nodeAt(node, field);
    if (result === undefined || changedOtherwise.has(result.type) || result['name'] === 'undefined') return [];
    return [replace(result, 'undefined')];
  };
}

/** Empties a block of several statements. Of a single one, other operators do the same. */
function emptyBlock(node: Node): readonly Edit[] {
  const body = nodesAt(node, 'body');
  return body.length > 1 ? [replace(node, '{}')] : [];
}
