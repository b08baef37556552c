import {
  broker,
  certificateTopic,
  identifier,
  startPosition,
  topic,
  topicPrefix,
  webhookSource,
} from '../../src/settings/kinds/kafka-kinds.ts';
import { boolean } from '../../src/settings/kinds/kind.ts';
import {
  basicUserName,
  headerName,
  headerValue,
  host,
  network,
  oauthScope,
  portRange,
  serviceUrl,
  tokenUrl,
} from '../../src/settings/kinds/network-kinds.ts';
import type { Variable } from '../../src/settings/variable.ts';
import type { JsonSchema } from './json-schema.ts';

/**
 * Returns the schema of a setting in the values, derived from the kind of its variable. It accepts every value that the
 * service accepts, and refuses most others. Throws for an unknown kind.
 */
export function settingShape({ kind, file }: Pick<Variable, 'kind' | 'file'>): JsonSchema {
  return file === true ? { type: ['string', 'null'] } : shapeOf(kind.expected);
}

const topicName = '[a-zA-Z0-9._-]{1,249}';
const printable = String.raw`[\x20-\x7e]{1,256}`;
const port = '[0-9]{1,5}';

/** Patterns by the `expected` text of the kind. */
const patterns: ReadonlyMap<string, string> = new Map([
  [broker.expected, String.raw`([a-zA-Z0-9._-]{1,255}|\[[0-9a-fA-F:.]{2,45}\]):${port}`],
  [topic.expected, topicName],
  [topicPrefix.expected, '[a-zA-Z0-9_.-]{1,230}'],
  [identifier.expected, String.raw`[\x21-\x7e]{1,200}`],
  [certificateTopic.expected, `${topicName}(=[a-z_]+)?`],
  [startPosition.expected, 'earliest|latest|[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:.]+(Z|[+-][0-9:]+))?'],
  [webhookSource.expected, `kafka:${topicName}|file:.+`],
  [portRange.expected, `${port}(-${port})?`],
  [network.expected, '[0-9a-fA-F:.]+/[0-9]{1,3}'],
  [host.expected, String.raw`[0-9a-zA-Z:.-]+|\[[0-9a-fA-F:.]{2,45}\]`],
  [serviceUrl.expected, String.raw`[hH][tT][tT][pP][sS]?://[^?#\s]+`],
  [tokenUrl.expected, String.raw`[hH][tT][tT][pP][sS]?://[^#\s]+`],
  [oauthScope.expected, String.raw`[\x20\x21\x23-\x5b\x5d-\x7e]{1,1000}`],
  [headerName.expected, "[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}"],
  [basicUserName.expected, printable],
  [headerValue.expected, printable],
]);

function shapeOf(expected: string): JsonSchema {
  if (expected === boolean.expected) return { enum: [true, false, 'true', 'false', '', null] };
  const [, choices] = /^one of (.+)$/.exec(expected) ?? [];
  if (choices !== undefined) return { enum: [...quoted(choices), '', null] };
  const [, min, max] = /^a whole number from (\d+) to (\d+)$/.exec(expected) ?? [];
  if (min !== undefined && max !== undefined) return numberShape(Number(min), Number(max));
  const [, rule, item] = /^a comma-separated list, (.+?), each (.+)$/.exec(expected) ?? [];
  if (rule !== undefined && item !== undefined) return listShape(item, rule === 'without duplicates');
  return { type: ['string', 'null'], pattern: whole(patternOf(expected)) };
}

function numberShape(minimum: number, maximum: number): JsonSchema {
  return { type: ['integer', 'string', 'null'], minimum, maximum, pattern: whole('[0-9]{1,15}') };
}

/** Accepts one comma-separated text, or a list of items. */
function listShape(expected: string, isUnique: boolean): JsonSchema {
  const item = patternOf(expected);
  const number = expected === portRange.expected ? ['integer'] : [];
  return {
    type: ['string', 'array', 'null', ...number],
    pattern: whole(String.raw`(${item})(\s*,\s*(${item}))*`),
    items: { type: ['string', ...number], pattern: `^(${item})$` },
    ...(isUnique ? { uniqueItems: true } : {}),
  };
}

/** Makes the pattern accept surrounding spaces, and an empty text, which means unset. */
function whole(pattern: string): string {
  return String.raw`^\s*(${pattern})?\s*$`;
}

function patternOf(expected: string): string {
  if (expected.startsWith('a duration from ')) return '[0-9]+(ms|s|m|h)';
  if (expected.startsWith('a size from ')) return '[0-9]+(B|KiB|MiB|GiB)';
  const pattern = expected.startsWith('one of ') ? quoted(expected).join('|') : patterns.get(expected);
  if (pattern === undefined) throw new Error(`Give a setting that takes ${expected} a pattern in setting-shape.ts.`);
  return pattern;
}

function quoted(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].flatMap(([, choice]) => choice ?? []);
}
