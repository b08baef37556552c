import { isMap, isNode, isScalar, parse, parseDocument, type Pair } from 'yaml';
import type { JsonSchema } from './json-schema.ts';

/** A heading of `values.yaml`, and what stands below it. */
export interface ValuesSection {
  readonly title: string;
  readonly values: readonly Value[];
}

/** A key with what the comment above it says. */
export interface Value {
  readonly name: string;
  readonly description: string;
  /** What `@schema` in the comment adds to what the default tells. */
  readonly annotation: JsonSchema;
  readonly default: unknown;
  /** Of a map whose keys are known one by one. */
  readonly members: readonly Value[];
}

/**
 * Reads `values.yaml` with its comments. A line `## Title` begins a section; other comments describe the key below
 * them, and a line `# @schema {…}` among them holds JSON Schema.
 */
export function readValues(text: string): readonly ValuesSection[] {
  const document = parseDocument(text);
  const map = document.contents;
  if (!isMap(map)) throw new Error('values.yaml is no map.');
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

/** The comment above a map's first key belongs to the map. */
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
  return annotation === undefined ? {} : (parse(annotation) as JsonSchema);
}

function descriptionIn(comment: string): string {
  return comment
    .split('\n')
    .filter((line) => line.startsWith(' ') && !line.startsWith(' @schema'))
    .map((line) => line.trim())
    .join(' ');
}
