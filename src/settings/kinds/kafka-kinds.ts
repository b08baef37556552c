import { eventTypes, type EventType } from '../../certificates/certificate.ts';
import { parseTime } from '../../certificates/certificate-schema.ts';
import { kindOf, listOf, matching, oneOf, unique, type Kind, type Parsed } from './kind.ts';
import { hostAndPort } from './network-kinds.ts';

export interface CertificateTopic {
  readonly topic: string;
  /** Undefined for a mixed topic. Then each record has its own event type. */
  readonly eventType: EventType | undefined;
}

/** The start position in a topic that has records but no committed offset of the group. */
export type StartPosition =
  | { readonly kind: 'earliest' }
  | { readonly kind: 'latest' }
  /** The first record of that time or later, in epoch milliseconds. */
  | { readonly kind: 'time'; readonly at: number };

export type ConfigurationsSource =
  | { readonly kind: 'kafka'; readonly topic: string }
  /** The path of a file or of a folder with files. */
  | { readonly kind: 'file'; readonly path: string };

/** Kafka's own rule: at most 249 characters, and neither `.` nor `..`. */
const topicPattern = /^(?!\.{1,2}$)[a-zA-Z0-9._-]{1,249}$/;

const topicCharacters = 'letters, digits, `.`, `_` and `-`';

export const topic = matching(`a topic name: up to 249 ${topicCharacters}`, topicPattern);

/** Leaves room for the delay that ends the name of a retry topic. */
export const topicPrefix = matching(`the beginning of a topic name: up to 230 ${topicCharacters}`, /^[\w.-]{1,230}$/);

export const broker: Kind<string> = kindOf(hostAndPort.expected, (text) =>
  hostAndPort.parse(text).kind === 'value' ? text : undefined,
);

/** Refuses spaces and control characters. Brokers accept them, but they are invisible in a list of groups. */
export const identifier = matching(
  'a name of up to 200 printable ASCII characters without spaces',
  /^[\x21-\x7e]{1,200}$/,
);

const eventType = oneOf(eventTypes);

export const certificateTopic: Kind<CertificateTopic> = {
  expected: `\`topic\` or \`topic=event_type\`, where the event type is ${eventType.expected}`,
  parse(text): Parsed<CertificateTopic> {
    const separator = text.indexOf('=');
    const name = topic.parse(separator === -1 ? text : text.slice(0, separator));
    if (name.kind === 'wrong') return name;
    if (separator === -1) return { kind: 'value', value: { topic: name.value, eventType: undefined } };
    const type = eventType.parse(text.slice(separator + 1));
    return type.kind === 'wrong' ? type : { kind: 'value', value: { topic: name.value, eventType: type.value } };
  },
};

export const certificateTopics = listOf(
  certificateTopic,
  unique(({ topic: name }) => name),
);

export const startPosition: Kind<StartPosition> = kindOf(
  '`earliest`, `latest` or an ISO 8601 time with a UTC offset, such as `2026-01-31T00:00:00Z`',
  (text) => {
    if (text === 'earliest' || text === 'latest') return { kind: text };
    const at = parseTime(text);
    return at === undefined ? undefined : { kind: 'time', at };
  },
);

export const webhookSource: Kind<ConfigurationsSource> = kindOf(
  '`kafka:TOPIC` (a compacted topic) or `file:PATH` (a file or a folder of files)',
  (text) => {
    const [, kind, name] = /^(kafka|file):(.+)$/.exec(text) ?? [];
    if (name === undefined) return undefined;
    if (kind === 'file') return { kind, path: name };
    return topicPattern.test(name) ? { kind: 'kafka', topic: name } : undefined;
  },
);
