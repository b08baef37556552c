import type { KafkaEvents } from '../kafka/events.ts';
import { failureText } from './failure-text.ts';
import type { Voices } from './voices.ts';

export interface SkipEvents {
  /** Records of this topic were passed over: the commit's metadata says that they are settled. */
  recordsSkipped(topic: string, records: number): void;
}

/** What happens between us and the brokers. */
export function createKafkaEvents(voices: Voices): KafkaEvents & SkipEvents {
  return { ...consumerEvents(voices), ...clusterEvents(voices), ...handoffEvents(voices) };
}

type ConsumerEvent = 'consumerJoined' | 'consumerCrashed' | 'commitFailed' | 'offsetReset' | 'topicRemade';

function consumerEvents({ logger, metrics, warnOnce }: Voices): Pick<KafkaEvents, ConsumerEvent> & SkipEvents {
  return {
    consumerJoined({ groupId, assignment }) {
      metrics.rebalances.inc();
      logger.info({ event: 'consumer.joined', groupId, assignment });
    },
    consumerCrashed({ groupId, error, restarting }) {
      warnOnce(`consumer.crashed ${groupId}`, {
        event: 'consumer.crashed',
        groupId,
        failure: failureText(error),
        restarting,
      });
    },
    commitFailed({ groupId, error }) {
      metrics.commitFailures.inc();
      warnOnce(`commit.failed ${groupId}`, { event: 'commit.failed', groupId, failure: failureText(error) });
    },
    offsetReset({ topic, partition, from, to }) {
      metrics.offsetResets.inc({ topic });
      // Below `from` it is another log: how much of the old one was not read, nobody can tell.
      const lostRecords = to > from ? to - from : undefined;
      logger.error({ event: 'offset.reset', topic, partition, from, to, lostRecords });
    },
    topicRemade({ topic, partitions }) {
      metrics.offsetResets.inc({ topic }, partitions.length);
      logger.error({ event: 'topic.remade', topic, partitions });
    },
    recordsSkipped(topic, records) {
      metrics.recordsSkipped.inc({ topic }, records);
      logger.debug({ event: 'records.skipped', topic, records });
    },
  };
}

function clusterEvents({ logger, warnOnce }: Voices): Pick<KafkaEvents, 'kafkaUnreachable' | 'topicsMissing'> {
  return {
    kafkaUnreachable({ doing, error, retryInMs }) {
      const failure = failureText(error);
      warnOnce(`kafka.unreachable ${doing}`, { event: 'kafka.unreachable', doing, failure, retryInMs });
    },
    topicsMissing(topics) {
      if (topics.length === 0) logger.info({ event: 'topics.found' });
      else
        warnOnce('topics.missing', { event: 'topics.missing', topics, remedy: 'certificate-webhooks topics --create' });
    },
  };
}

function handoffEvents({
  metrics,
  warnOnce,
}: Voices): Pick<KafkaEvents, 'retryScheduled' | 'deadLetterWritten' | 'handoffFailed'> {
  return {
    retryScheduled({ tier, records }) {
      metrics.retriesScheduled.inc({ tier }, records);
    },
    deadLetterWritten({ reason }) {
      metrics.deadLetters.inc({ reason });
    },
    handoffFailed({ kind, topic, error, retryInMs }) {
      metrics.handoffFailures.inc({ kind });
      const failure = failureText(error);
      warnOnce(`handoff.failed ${topic}`, { event: 'handoff.failed', kind, topic, failure, retryInMs });
    },
  };
}
