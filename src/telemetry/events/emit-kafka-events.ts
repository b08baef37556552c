import type { KafkaEvents } from '../../kafka/kafka-events.ts';
import { failureText } from './failure-text.ts';
import { kafkaRemedy } from './kafka-remedy.ts';
import type { EventSinks } from './event-sinks.ts';
import type { Line } from './repeated-warnings.ts';

export interface SkipEvents {
  /** Records of this topic were passed over: the commit's metadata says that they are settled. */
  recordsSkipped(topic: string, records: number): void;
}

/** What happens between us and the brokers. */
export function createKafkaEvents(voices: EventSinks): KafkaEvents & SkipEvents {
  return { ...consumerEvents(voices), ...clusterEvents(voices), ...handoffEvents(voices) };
}

function consumerEvents(voices: EventSinks): Pick<KafkaEvents, GroupEvent | PartitionEvent> & SkipEvents {
  return { ...groupEvents(voices), ...partitionEvents(voices) };
}

type GroupEvent = 'consumerJoined' | 'consumerCrashed' | 'commitFailed';

function groupEvents({ logger, metrics, warnOnce }: EventSinks): Pick<KafkaEvents, GroupEvent> {
  return {
    consumerJoined({ groupId, assignment }) {
      metrics.rebalances.inc();
      logger.info({ event: 'consumer.joined', groupId, assignment });
    },
    consumerCrashed({ groupId, error, restarting }) {
      const line = { event: 'consumer.crashed', groupId, failure: failureText(error), restarting };
      warnOnce(`consumer.crashed ${groupId}`, withRemedy(line, error));
    },
    commitFailed({ groupId, error }) {
      metrics.commitFailures.inc();
      warnOnce(`commit.failed ${groupId}`, { event: 'commit.failed', groupId, failure: failureText(error) });
    },
  };
}

type PartitionEvent = 'offsetReset' | 'partitionUnreadable' | 'topicGone' | 'topicRecreated';

function partitionEvents({ logger, metrics, warnOnce }: EventSinks): Pick<KafkaEvents, PartitionEvent> & SkipEvents {
  return {
    offsetReset({ topic, partition, from, to }) {
      metrics.offsetResets.inc({ topic });
      // Below `from` it is another log: how much of the old one was not read, nobody can tell.
      const lostRecords = to > from ? to - from : undefined;
      logger.error({ event: 'offset.reset', topic, partition, from, to, lostRecords });
    },
    partitionUnreadable({ topic, partition, offset, error, retryInMs }) {
      const line = { topic, partition, offset, failure: failureText(error), retryInMs };
      warnOnce(`partition.unreadable ${topic}/${partition}`, { event: 'partition.unreadable', ...line });
    },
    topicGone({ topic, partitions }) {
      logger.warn({ event: 'topic.gone', topic, partitions });
    },
    topicRecreated({ topic, partitions }) {
      metrics.offsetResets.inc({ topic }, partitions.length);
      logger.error({ event: 'topic.recreated', topic, partitions });
    },
    recordsSkipped(topic, records) {
      metrics.recordsSkipped.inc({ topic }, records);
      logger.debug({ event: 'records.skipped', topic, records });
    },
  };
}

type ClusterEvent = 'kafkaUnreachable' | 'credentialsReloaded' | 'credentialsReloadFailed' | 'topicsMissing';

function clusterEvents({ logger, metrics, warnOnce }: EventSinks): Pick<KafkaEvents, ClusterEvent> {
  return {
    kafkaUnreachable({ doing, error, retryInMs }) {
      const line = { event: 'kafka.unreachable', doing, failure: failureText(error), retryInMs };
      warnOnce(`kafka.unreachable ${doing}`, withRemedy(line, error));
    },
    credentialsReloaded() {
      logger.info({ event: 'credentials.reloaded' });
    },
    credentialsReloadFailed({ reason }) {
      metrics.configurationReloadFailures.inc();
      logger.warn({ event: 'credentials.reload_failed', failure: reason });
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
}: EventSinks): Pick<KafkaEvents, 'retryScheduled' | 'deadLetterWritten' | 'handoffFailed'> {
  return {
    retryScheduled({ tier, records }) {
      metrics.retriesScheduled.inc({ tier }, records);
    },
    deadLetterWritten({ reason }) {
      metrics.deadLetters.inc({ reason });
    },
    handoffFailed({ kind, topic, error, retryInMs }) {
      metrics.handoffFailures.inc({ kind });
      const line = { event: 'handoff.failed', kind, topic, failure: failureText(error), retryInMs };
      warnOnce(`handoff.failed ${topic}`, withRemedy(line, error));
    },
  };
}

function withRemedy(line: Line, error: unknown): Line {
  const remedy = kafkaRemedy(error);
  return remedy === undefined ? line : { ...line, remedy };
}
