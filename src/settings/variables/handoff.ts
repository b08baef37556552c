import { topic, topicPrefix } from '../kinds/kafka-kinds.ts';
import { duration, oneOf } from '../kinds/kind.ts';
import { ascending, listOf } from '../kinds/list-kind.ts';
import type { VariableGroup, Variables } from '../variable.ts';

const variables = {
  RETRY_TOPIC_PREFIX: {
    kind: topicPrefix,
    default: 'certificate-webhooks.retry',
    meaning:
      'The topic of a tier is called `PREFIX.DELAY`, the delay in its largest whole unit: that of `600s` is `certificate-webhooks.retry.10m`. Every topic that is called like this is read, configured or not.',
  },
  RETRY_DELAYS: {
    kind: listOf(duration({ min: 1, max: 14 * 24 * 3_600_000 }), ascending),
    default: '10s,1m,10m,1h,6h,24h',
    meaning:
      'The tiers: how long a delivery waits after its first, second, … failed attempt. It is attempted once more than there are delays.',
  },
  DEAD_LETTER_TOPIC: {
    kind: topic,
    default: 'certificate-webhooks.dead-letter',
    meaning: 'Where deliveries go that are given up, and records that are no certificates.',
  },
  HANDOFF_COMPRESSION: {
    kind: oneOf(['none', 'gzip', 'snappy', 'lz4', 'zstd']),
    default: 'none',
    meaning: 'How to compress what is written to tiers and the dead-letter topic. All of them can be read.',
  },
} satisfies Variables;

export const handoffVariables = { title: 'Retries and dead letters', variables } satisfies VariableGroup;
