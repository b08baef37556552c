import type { Intake } from '../../kafka/consumer/admission.ts';
import type { ConfigurationsTopicEvents, KafkaEvents, TokenEvents } from '../../kafka/kafka-events.ts';
import { oneLine } from '../../lib/printable.ts';
import { failureText } from './failure-text.ts';
import { deniedRemedy, kafkaRemedy, tokenRemedy } from './kafka-remedy.ts';
import type { EventSinks, LogLine } from './event-sinks.ts';

export type SkipEvents = Pick<Intake, 'recordsSkipped'>;

/** Creates the events about the consumers, the cluster, and the writes to tiers and the dead-letter topic. */
export function createKafkaEvents(
  sinks: EventSinks,
): KafkaEvents & SkipEvents & ConfigurationsTopicEvents & TokenEvents {
  return {
    ...consumerEvents(sinks),
    ...clusterEvents(sinks),
    ...handoffEvents(sinks),
    ...configurationsTopicEvents(sinks),
    ...tokenEvents(sinks),
  };
}

function consumerEvents({ logger, metrics, warnSampled }: EventSinks) {
  return {
    consumerJoined({ groupId, assignment }) {
      metrics.rebalances.inc({});
      logger.info({ event: 'consumer.joined', groupId, assignment });
    },
    consumerCrashed({ groupId, error, restarting }) {
      const line = { event: 'consumer.crashed', groupId, failure: failureText(error), restarting };
      warnSampled(`consumer.crashed ${groupId}`, withRemedy(line, error));
    },
    commitFailed({ groupId, error }) {
      metrics.commitFailures.inc({});
      warnSampled(`commit.failed ${groupId}`, { event: 'commit.failed', groupId, failure: failureText(error) });
    },
    offsetReset({ topic, partition, from, to, lostRecords }) {
      metrics.offsetResets.inc({ topic });
      logger.error({ event: 'offset.reset', topic, partition, from, to, lostRecords });
    },
    commitMissing({ topic, partition, repeated }) {
      metrics.uncommittedRecords.inc({ topic }, repeated);
      warnSampled(`commit.missing ${topic}`, { event: 'commit.missing', topic, partition, records: repeated });
    },
    partitionUnreadable({ topic, partition, offset, error, retryInMs }) {
      const line = { topic, partition, offset, failure: failureText(error), retryInMs };
      warnSampled(`partition.unreadable ${topic}/${partition}`, { event: 'partition.unreadable', ...line });
    },
    topicGone({ topic, partitions }) {
      logger.warn({ event: 'topic.gone', topic, partitions });
    },
    topicDenied({ topic, partitions }) {
      warnSampled(`topic.denied ${topic}`, { event: 'topic.denied', topic, partitions, remedy: deniedRemedy });
    },
    topicRecreated({ topic, partitions }) {
      metrics.offsetResets.inc({ topic }, partitions.length);
      logger.error({ event: 'topic.recreated', topic, partitions });
    },
    recordsSkipped(topic, records) {
      metrics.recordsSkipped.inc({ topic }, records);
      logger.debug({ event: 'records.skipped', topic, records });
    },
  } satisfies Partial<KafkaEvents> & SkipEvents;
}

function clusterEvents({ logger, metrics, warnSampled }: EventSinks) {
  return {
    kafkaUnreachable({ doing, error, retryInMs }) {
      const line = { event: 'kafka.unreachable', doing, failure: failureText(error), retryInMs };
      warnSampled(`kafka.unreachable ${doing}`, withRemedy(line, error));
    },
    credentialsReloaded() {
      logger.info({ event: 'credentials.reloaded' });
    },
    credentialsReloadFailed({ reason }) {
      metrics.configurationReloadFailures.inc({});
      logger.warn({ event: 'credentials.reload_failed', failure: reason });
    },
    topicsMissing(topics) {
      const remedy = 'certificate-webhooks topics --create, or allow Describe on them';
      if (topics.length === 0) logger.info({ event: 'topics.found' });
      else warnSampled('topics.missing', { event: 'topics.missing', topics, remedy });
    },
  } satisfies Partial<KafkaEvents>;
}

function tokenEvents({ logger, warnSampled }: EventSinks): TokenEvents {
  return {
    tokenFetched({ endpoint, lifeMs, recovered }) {
      const line = { event: 'token.fetched', endpoint, lifeMs };
      if (recovered) logger.info(line);
      else logger.debug(line);
    },
    tokenFailed({ endpoint, reason, validForMs }) {
      const line = { endpoint, failure: oneLine(reason), remedy: tokenRemedy(reason), validForMs };
      warnSampled('token.failed', { event: 'token.failed', ...line });
    },
  };
}

function configurationsTopicEvents({ logger }: EventSinks): ConfigurationsTopicEvents {
  return {
    configurationsHeld({ topic, found, expected }) {
      const remedy =
        'write the missing ones again, or confirm that the others are all: certificate-webhooks configurations accept';
      logger.warn({ event: 'configurations.held', topic, found, expected, remedy });
    },
    configurationsReplaced({ topic, found, expected }) {
      logger.info({ event: 'configurations.replaced', topic, found, expected });
    },
    configurationsDuplicated({ topic, configurations, ids }) {
      logger.warn({ event: 'configurations.duplicated', topic, configurations, ids });
    },
  };
}

function handoffEvents({ metrics, warnSampled }: EventSinks) {
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
      warnSampled(`handoff.failed ${topic}`, withRemedy(line, error));
    },
  } satisfies Partial<KafkaEvents>;
}

function withRemedy(line: LogLine, error: unknown): LogLine {
  const remedy = kafkaRemedy(error);
  return remedy === undefined ? line : { ...line, remedy };
}
