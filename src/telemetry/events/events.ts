import type { Logger } from 'pino';
import type { SchemaRegistryEvents } from '../../certificates/registry/schemas.ts';
import type { ConfigurationsTopicEvents, KafkaEvents, TokenEvents } from '../../kafka/kafka-events.ts';
import type { MonotonicClock } from '../../lib/clock.ts';
import { oneLine } from '../../lib/one-line.ts';
import type { PipelineEvents } from '../../pipeline/pipeline-events.ts';
import type { AdminServerEvents } from '../admin/admin-server.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { maxIdBytes } from '../../certificates/id.ts';
import type { DirectoryEvents } from '../../webhooks/directory.ts';
import type { FileSourceEvents } from '../../webhooks/files/file-source.ts';
import type { KeysFileEvents } from '../../webhooks/files/keys-file.ts';
import { createEndpointEvents, type EndpointEvents } from './emit-endpoint-events.ts';
import { createKafkaEvents, type SkipEvents } from './emit-kafka-events.ts';
import { createPipelineEvents, type DeliveryLog } from './emit-pipeline-events.ts';
import { createSampledWarnings, type EventSinks } from './event-sinks.ts';
import { errorFacts } from './failure-text.ts';

/** All business events. Each function writes at most one log line and moves the metrics of the event. */
export interface Events
  extends
    PipelineEvents,
    KafkaEvents,
    ConfigurationsTopicEvents,
    TokenEvents,
    SkipEvents,
    EndpointEvents,
    ConfigurationEvents,
    SchemaRegistryEvents,
    AdminServerEvents {}

interface EventsOptions extends DeliveryLog {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly clock: Pick<MonotonicClock, 'monotonic'>;
}

export function createEvents({ logger, metrics, clock, ...deliveryLog }: EventsOptions): Events {
  const sinks = { logger, metrics, warnSampled: createSampledWarnings(logger, clock) };
  return {
    ...createPipelineEvents(sinks, deliveryLog),
    ...createKafkaEvents(sinks),
    ...createEndpointEvents(sinks),
    ...createConfigurationEvents(sinks),
    ...createSchemaRegistryEvents(sinks),
    ...createAdminEvents(sinks),
  };
}

function createSchemaRegistryEvents({ logger, metrics, warnSampled }: EventSinks): SchemaRegistryEvents {
  return {
    schemaRegistryFailed({ schemaId, failure: kind, reason, retryInMs }) {
      metrics.schemaRegistryFailures.inc({ kind });
      warnSampled(`schema_registry.failed ${kind}`, {
        event: 'schema_registry.failed',
        kind,
        failure: oneLine(reason),
        schemaId,
        retryInMs,
      });
    },
    schemaUnknown({ schemaId, retryInMs }) {
      metrics.schemaRegistryFailures.inc({ kind: 'unknown_schema' });
      if (retryInMs === undefined) logger.warn({ event: 'schema.given_up', schemaId });
      else warnSampled('schema.unknown', { event: 'schema.unknown', schemaId, retryInMs });
    },
  };
}

export function createAdminEvents({ logger, metrics, warnSampled }: EventSinks): AdminServerEvents {
  return {
    adminFailed({ path, error }) {
      logger.error({ event: 'admin.failed', path, error: errorFacts(error) });
    },
    adminConnectionClosed({ limit, address }) {
      metrics.adminConnectionsClosed.inc({ limit });
      warnSampled(`admin.connection_closed ${limit}`, { event: 'admin.connection_closed', limit, address });
    },
  };
}

export type ConfigurationEvents = DirectoryEvents & FileSourceEvents & KeysFileEvents;

function createConfigurationEvents({ logger, metrics }: EventSinks): ConfigurationEvents {
  return {
    configurationRefused({ id, ownerId, problems }) {
      // The id is the key of its record, which may be as long as a record.
      const configurationId = id.slice(0, maxIdBytes);
      logger.warn({ event: 'configuration.refused', configurationId, ownerId, problems: problems.map(oneLine) });
    },
    configurationsReloaded({ configurations }) {
      logger.info({ event: 'configurations.reloaded', configurations });
    },
    keysReloaded({ keys }) {
      logger.info({ event: 'keys.reloaded', keys });
    },
    configurationReloadFailed({ path, reason }) {
      metrics.configurationReloadFailures.inc({});
      logger.warn({ event: 'configurations.reload_failed', path, failure: oneLine(reason) });
    },
  };
}
