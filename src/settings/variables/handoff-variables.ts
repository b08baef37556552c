import { topic, topicPrefix } from '../kinds/kafka-kinds.ts';
import { duration, oneOf } from '../kinds/kind.ts';
import { ascending, listOf } from '../kinds/list-kind.ts';
import type { Variables } from '../variable.ts';

export const handoffVariables = {
  RETRY_TOPIC_PREFIX: {
    kind: topicPrefix,
    default: 'certificate-webhooks.retry',
    description:
      'The prefix of the retry topics. A retry topic is named `PREFIX.DELAY`, with the delay in its largest whole unit: the topic for `600s` is `certificate-webhooks.retry.10m`. Every topic with such a name is read, configured or not.',
  },
  RETRY_DELAYS: {
    kind: listOf(duration({ min: 1, max: 14 * 24 * 3_600_000 }), ascending),
    default: '10s,1m,10m,1h,6h,24h',
    description:
      'The delays of the retry tiers: the time that a delivery waits after its first, second, … failed attempt. There is one attempt more than there are delays.',
  },
  DEAD_LETTER_TOPIC: {
    kind: topic,
    default: 'certificate-webhooks.dead-letter',
    description: 'The topic for deliveries that have finally failed, and for records that are not certificates.',
  },
  HANDOFF_COMPRESSION: {
    kind: oneOf(['none', 'gzip', 'snappy', 'lz4', 'zstd']),
    default: 'none',
    description:
      'The compression of records written to the retry topics and the dead-letter topic. Every listed compression can be read.',
  },
} satisfies Variables;
