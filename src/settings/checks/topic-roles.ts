import type { Problem } from '../problem.ts';
import { tierDelayMs } from '../tier-topic.ts';
import type { Values } from '../variables.ts';

/**
 * Returns a problem for each topic with two roles. Its records would be parsed as the wrong kind, or the service would
 * read its own writes endlessly.
 */
export function topicRoleProblems(values: Partial<Values>): readonly Problem[] {
  const roles = topicRoles(values);
  const problems = roles.map((role, index) => clash(role, roles.slice(0, index)) ?? tierClash(role, values));
  return problems.filter((problem) => problem !== undefined);
}

function clash({ variable, topic }: TopicRole, earlier: readonly TopicRole[]): Problem | undefined {
  // CERTIFICATE_TOPICS has its own rule against duplicates.
  const other = earlier.find((role) => role.topic === topic && role.variable !== variable);
  return other && { variable, found: topic, expected: `a topic that ${other.variable} does not use` };
}

function tierClash(
  { variable, topic }: TopicRole,
  { RETRY_TOPIC_PREFIX: prefix }: Partial<Values>,
): Problem | undefined {
  if (prefix === undefined || tierDelayMs(prefix, topic) === undefined) return undefined;
  return { variable, found: topic, expected: `a topic that is not a retry topic: RETRY_TOPIC_PREFIX is ${prefix}` };
}

interface TopicRole {
  readonly variable: string;
  readonly topic: string;
}

/** Returns the role of every topic except the retry topics. Those are recognized by their prefix. */
function topicRoles(values: Partial<Values>): readonly TopicRole[] {
  const {
    CERTIFICATE_TOPICS: certificates = [],
    WEBHOOK_CONFIGURATIONS: webhooks,
    DEAD_LETTER_TOPIC: deadLetters,
    RESULTS_TOPIC: results,
  } = values;
  return [
    ...certificates.map(({ topic }) => ({ variable: 'CERTIFICATE_TOPICS', topic })),
    ...(webhooks?.kind === 'kafka' ? [{ variable: 'WEBHOOK_CONFIGURATIONS', topic: webhooks.topic }] : []),
    ...(deadLetters === undefined ? [] : [{ variable: 'DEAD_LETTER_TOPIC', topic: deadLetters }]),
    ...(results === undefined ? [] : [{ variable: 'RESULTS_TOPIC', topic: results }]),
  ];
}
