import { isMap, isNode, isScalar, parse, parseDocument, type Pair } from 'yaml';
import type { JsonSchema } from './json-schema.ts';

/** A heading of `values.yaml`, and the values below it. */
export interface ValuesSection {
  readonly title: string;
  readonly values: readonly Value[];
}

/** A key with the comment above it. */
export interface Value {
  readonly name: string;
  readonly description: string;
  /** The JSON Schema after `@schema` in the comment, in addition to the type of the default. */
  readonly annotation: JsonSchema;
  readonly default: unknown;
  /** The members of a map with fixed keys. */
  readonly members: readonly Value[];
}

/**
 * Parses `values.yaml` with its comments. A line `## Title` begins a section. Other comments describe the key below them.
 * A line `# @schema {…}` among them contains JSON Schema.
 */
export function readValues(text: string): readonly ValuesSection[] {
  const document = parseDocument(text);
  const map = document.contents;
  if (!isMap(map)) throw new Error('values.yaml is not a map.');
  const sections: { title: string; values: Value[] }[] = [];
  for (const [index, pair] of map.items.entries()) {
    const comment = [index === 0 ? document.commentBefore : '', commentOf(pair)].join('\n');
    const title = /^# (.+)$/m.exec(comment)?.[1];
    if (title !== undefined) sections.push({ title, values: [] });
    sections.at(-1)?.values.push(readValue(pair, comment));
  }
  return sections;
}

function readValue(pair: Pair, comment: string): Value {
  const annotation = readAnnotation(comment);
  const isWhole = 'type' in annotation || '$ref' in annotation;
  const members = isMap(pair.value) && !isWhole ? pair.value.items : [];
  return {
    name: nameOf(pair),
    description: descriptionIn(comment),
    annotation,
    default: isNode(pair.value) ? pair.value.toJSON() : undefined,
    members: members.map((member, index) => readValue(member, firstComment(pair.value, index) + commentOf(member))),
  };
}

/** Returns the comment above a map's first key, which the parser attaches to the map. */
function firstComment(map: unknown, index: number): string {
  return index === 0 && isMap(map) ? `${map.commentBefore ?? ''}\n` : '';
}

function commentOf({ key }: Pair): string {
  return isScalar(key) ? (key.commentBefore ?? '') : '';
}

function nameOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : '';
}

function readAnnotation(comment: string): JsonSchema {
  const [, annotation] = /^ @schema (\{.*\})$/m.exec(comment) ?? [];
  const keywords: JsonSchema = annotation === undefined ? {} : parse(annotation);
  return keywords;
}

function descriptionIn(comment: string): string {
  return comment
    .split('\n')
    .filter((line) => line.startsWith(' ') && !line.startsWith(' @schema'))
    .map((line) => line.trim())
    .join(' ');
}
