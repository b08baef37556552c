import type { SchemaRegistryEvents } from '../../certificates/registry/schemas.ts';
import type { ConfigurationsTopicEvents, KafkaEvents, TokenEvents } from '../../kafka/kafka-events.ts';
import type { MonotonicClock } from '../../lib/clock.ts';
import { oneLine } from '../../lib/printable.ts';
import type { PipelineEvents } from '../../pipeline/ports.ts';
import type { AdminServerEvents } from '../admin/admin-server.ts';
import { maxIdBytes } from '../../certificates/certificate-schema.ts';
import type { DirectoryEvents } from '../../webhooks/directory.ts';
import type { FileSourceEvents } from '../../webhooks/files/file-source.ts';
import type { KeysFileEvents } from '../../webhooks/files/keys-file.ts';
import { createKafkaEvents, type SkipEvents } from './emit-kafka-events.ts';
import { createPipelineEvents, type DeliveryLog } from './emit-pipeline-events.ts';
import { createSampledWarnings, type EventSinks } from './event-sinks.ts';
import { errorFacts } from './failure-text.ts';
import type { EndpointChange } from '../../flow/gates.ts';
import type { CertificateEvents } from '../../deliveries/certificate-watch.ts';
import type { HttpClientEvents } from '../../http/http-client.ts';

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

interface EventsOptions extends DeliveryLog, Pick<EventSinks, 'logger' | 'metrics'> {
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
      const line = { kind, failure: oneLine(reason), schemaId, retryInMs };
      warnSampled(`schema_registry.failed ${kind}`, { event: 'schema_registry.failed', ...line });
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

interface EndpointEvents extends HttpClientEvents, CertificateEvents {
  /** Endpoints are reached through a proxy, which resolves their names. `proxy` holds no credentials. */
  egressDelegated(egress: { readonly proxy: string }): void;
  circuitChanged(change: Pick<EndpointChange, 'webhookId' | 'from' | 'to'>): void;
}

/** Creates the events about connections, the egress proxy and circuits. Attempts are pipeline events. */
function createEndpointEvents({ logger, metrics, warnSampled }: EventSinks): EndpointEvents {
  return {
    connectionOpened({ resumed }) {
      metrics.connectionsOpened.inc({ resumed: String(resumed) });
    },
    addressesDropped({ count }) {
      metrics.addressesDropped.inc({}, count);
    },
    connectionCut({ limit }) {
      metrics.connectionsCut.inc({ limit });
    },
    handshakeUnanswered({ end }) {
      metrics.handshakesUnanswered.inc({ end });
    },
    egressDelegated({ proxy }) {
      const policy =
        'the proxy resolves names and answers for the addresses; ports and literal addresses are checked here';
      logger.info({ event: 'egress.delegated', proxy, policy });
    },
    certificateExpiring({ webhookId, ownerId, validUntil }) {
      const line = { configurationId: webhookId, ownerId, validUntil: new Date(validUntil).toISOString() };
      warnSampled('endpoint.certificate_expiring', { event: 'endpoint.certificate_expiring', ...line });
    },
    circuitChanged({ webhookId, from, to }) {
      metrics.circuitTransitions.inc({ circuit: to });
      switch (to) {
        case 'open':
          // Sampled by the state before, so that failed probes do not hide an endpoint that starts to fail.
          return warnSampled(`circuit.opened ${from}`, { event: 'circuit.opened', configurationId: webhookId, from });
        case 'half_open':
          return logger.debug({ event: 'circuit.probed', configurationId: webhookId, from });
        case 'closed':
          return logger.info({ event: 'circuit.closed', configurationId: webhookId, from });
      }
    },
  };
}
