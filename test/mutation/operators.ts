import { nodeAt, nodesAt, type Edit, type Node } from './syntax-tree.ts';

/** A change of a node, without the file that it is in. */
export interface Change extends Edit {
  readonly operator: string;
}

/** Proposes changes of a node. `text` is that of its file. */
type Operator = (node: Node, text: string) => readonly Change[];

/** Returns all changes of one node. */
export function changesOf(node: Node, text: string): readonly Change[] {
  return (operators.get(node.type) ?? []).flatMap((operator) => operator(node, text));
}

type Opposite = readonly [operator: string, other: string];

const opposites = new Map<string, readonly Opposite[]>(
  Object.entries({
    '<': [
      ['boundary', '<='],
      ['comparison', '>='],
    ],
    '<=': [
      ['boundary', '<'],
      ['comparison', '>'],
    ],
    '>': [
      ['boundary', '>='],
      ['comparison', '<='],
    ],
    '>=': [
      ['boundary', '>'],
      ['comparison', '<'],
    ],
    '===': [['equality', '!==']],
    '!==': [['equality', '===']],
    '+': [['arithmetic', '-']],
    '-': [['arithmetic', '+']],
    '*': [['arithmetic', '/']],
    '/': [['arithmetic', '*']],
    '%': [['arithmetic', '*']],
    '**': [['arithmetic', '*']],
    '&': [['bitwise', '|']],
    '|': [['bitwise', '&']],
    '^': [['bitwise', '&']],
    '<<': [['bitwise', '>>>']],
    '>>': [['bitwise', '<<']],
    '>>>': [['bitwise', '<<']],
    '&&': [['logical', '||']],
    '||': [['logical', '&&']],
    '+=': [['assignment', '-=']],
    '-=': [['assignment', '+=']],
    '*=': [['assignment', '/=']],
    '??=': [['assignment', '=']],
    '||=': [['assignment', '&&=']],
    '&&=': [['assignment', '||=']],
  }),
);

const otherMethods = new Map(
  Object.entries({
    min: 'max',
    max: 'min',
    floor: 'ceil',
    ceil: 'floor',
    some: 'every',
    every: 'some',
  }),
);

/** Above it a number is a bound that was chosen, and one more of it is no defect. */
const largestCount = 64;

const operators = new Map<string, readonly Operator[]>(
  Object.entries({
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
  }),
);

function replace(node: Pick<Edit, 'start' | 'end'>, operator: string, text: string): Change {
  return { start: node.start, end: node.end, operator, text };
}

/** Replaces the operator between two operands. */
function replaceOperator(node: Node, text: string): readonly Change[] {
  const [left, right, symbol] = [nodeAt(node, 'left'), nodeAt(node, 'right'), node['operator']];
  if (left === undefined || right === undefined || typeof symbol !== 'string') return [];
  if (symbol.startsWith('+') && [left, right].some(isText)) return [];
  const start = text.indexOf(symbol, left.end);
  const place = { start, end: start + symbol.length };
  return (opposites.get(symbol) ?? []).map(([operator, other]) => replace(place, operator, other));
}

/** Removes what stands in for a missing value. The other operators may not stand beside `??`. */
function dropFallback(node: Node, text: string): readonly Change[] {
  const left = nodeAt(node, 'left');
  if (left === undefined || node['operator'] !== '??') return [];
  return [replace(node, 'logical', `(${text.slice(left.start, left.end)})`)];
}

function isText({ type, value }: Node): boolean {
  return type === 'TemplateLiteral' || (type === 'Literal' && typeof value === 'string');
}

function dropSign(node: Node): readonly Change[] {
  const isSign = node['operator'] === '!' || node['operator'] === '-';
  return isSign ? [{ start: node.start, end: node.start + 1, operator: 'negation', text: '' }] : [];
}

function replaceLiteral(node: Node): readonly Change[] {
  const { value } = node;
  if (typeof value === 'boolean') return [replace(node, 'boolean', String(!value))];
  if (typeof value === 'number') return numbersFor(node, value);
  return typeof value === 'string' && isWord(value) ? [replace(node, 'string', "''")] : [];
}

function numbersFor(node: Node, value: number): readonly Change[] {
  if (value > largestCount && !String(node['raw']).startsWith('0x')) return [replace(node, 'number', `${value * 2}`)];
  return (value > 0 ? [value + 1, value - 1] : [value + 1]).map((other) => replace(node, 'number', `${other}`));
}

/** A text with a space in it is for people. Its wording is no behaviour. */
function isWord(text: string): boolean {
  return text !== '' && !text.includes(' ');
}

function emptyTemplate(node: Node, text: string): readonly Change[] {
  return text
    .slice(node.start, node.end)
    .replaceAll(/\$\{[^}]*\}/g, '')
    .includes(' ')
    ? []
    : [replace(node, 'string', '``')];
}

function emptyArray(node: Node): readonly Change[] {
  return nodesAt(node, 'elements').length > 0 ? [replace(node, 'array', '[]')] : [];
}

function replaceMethod(node: Node): readonly Change[] {
  const property = nodeAt(node, 'property');
  const other = otherMethods.get(String(property?.['name']));
  return property === undefined || other === undefined ? [] : [replace(property, 'method', other)];
}

/** `before` is the field of the node that the question mark follows or precedes. */
function dropOptional(before: 'property' | 'callee'): Operator {
  return (node, text) => {
    if (node['optional'] !== true) return [];
    const object = nodeAt(node, before === 'callee' ? 'callee' : 'object');
    const start = text.indexOf('?.', object?.end ?? node.start);
    const keepsDot = before === 'property' && node['computed'] !== true;
    return [{ start, end: start + 2, operator: 'optional', text: keepsDot ? '.' : '' }];
  };
}

function decideCondition(node: Node): readonly Change[] {
  const test = nodeAt(node, 'test');
  return test === undefined ? [] : ['true', 'false'].map((text) => replace(test, 'condition', text));
}

/** A loop that never ends is not told from one that is slow, so there is no `true`. */
function neverLoop(node: Node): readonly Change[] {
  const test = nodeAt(node, 'test');
  const isEndless = test?.type === 'Literal';
  return test === undefined || isEndless ? [] : [replace(test, 'condition', 'false')];
}

function removeStatement(node: Node): readonly Change[] {
  return [replace(node, 'statement', ';')];
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
    return [replace(result, 'return', 'undefined')];
  };
}

/** Empties a block of several statements. Of a single one, other operators do the same. */
function emptyBlock(node: Node): readonly Change[] {
  const body = nodesAt(node, 'body');
  return body.length > 1 ? [replace(node, 'block', '{}')] : [];
}
