import type { Problem } from '../problem.ts';
import { tierDelayMs } from '../tier-topic.ts';
import type { Values } from '../variables.ts';

/** A topic that has two roles would be read as what it is not, or be written to by who reads it, without end. */
export function roleProblems(values: Partial<Values>): readonly Problem[] {
  const roles = topicRoles(values);
  const problems = roles.map((role, index) => clash(role, roles.slice(0, index)) ?? tierClash(role, values));
  return problems.filter((problem) => problem !== undefined);
}

function clash({ variable, topic }: TopicRole, earlier: readonly TopicRole[]): Problem | undefined {
  // The list of certificate topics has a rule of its own against repeating one.
  const other = earlier.find((role) => role.topic === topic && role.variable !== variable);
  return other && { variable, given: topic, expected: `another topic than ${other.variable} has` };
}

function tierClash(
  { variable, topic }: TopicRole,
  { RETRY_TOPIC_PREFIX: prefix }: Partial<Values>,
): Problem | undefined {
  if (prefix === undefined || tierDelayMs(prefix, topic) === undefined) return undefined;
  return { variable, given: topic, expected: `no topic that RETRY_TOPIC_PREFIX, which is ${prefix}, makes a tier` };
}

interface TopicRole {
  readonly variable: string;
  readonly topic: string;
}

/** All but the tiers, whose names are known by their prefix. */
function topicRoles(values: Partial<Values>): readonly TopicRole[] {
  const {
    CERTIFICATE_TOPICS: certificates = [],
    WEBHOOK_CONFIGURATIONS: source,
    DEAD_LETTER_TOPIC: deadLetters,
  } = values;
  return [
    ...certificates.map(({ topic }) => ({ variable: 'CERTIFICATE_TOPICS', topic })),
    ...(source?.kind === 'kafka' ? [{ variable: 'WEBHOOK_CONFIGURATIONS', topic: source.topic }] : []),
    ...(deadLetters === undefined ? [] : [{ variable: 'DEAD_LETTER_TOPIC', topic: deadLetters }]),
  ];
}
