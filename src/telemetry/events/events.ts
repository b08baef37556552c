import type { Logger } from 'pino';
import type { SchemaRegistryEvents } from '../../certificates/registry/schemas.ts';
import type { KafkaEvents } from '../../kafka/kafka-events.ts';
import type { Clock } from '../../lib/clock.ts';
import type { PipelineEvents } from '../../pipeline/pipeline-events.ts';
import { createConfigurationEvents, type ConfigurationEvents } from './emit-configuration-events.ts';
import { createEndpointEvents, type EndpointEvents } from './emit-endpoint-events.ts';
import { createKafkaEvents, type SkipEvents } from './emit-kafka-events.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { createPipelineEvents } from './emit-pipeline-events.ts';
import { createSchemaRegistryEvents } from './emit-schema-registry-events.ts';
import { createWarnings } from './repeated-warnings.ts';

/** Everything that happens and is worth telling. One function each: at most one log line, and the metrics it moves. */
export interface Events
  extends PipelineEvents, KafkaEvents, SkipEvents, EndpointEvents, ConfigurationEvents, SchemaRegistryEvents {}

interface EventsOptions {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly clock: Pick<Clock, 'now'>;
  /** The configured tiers in order, as the topics' names have them, such as `10m`: a settlement's tier counts these. */
  readonly tierLabels: readonly string[];
}

export function createEvents({ logger, metrics, clock, tierLabels }: EventsOptions): Events {
  const voices = { logger, metrics, warnOnce: createWarnings(logger, clock) };
  return {
    ...createPipelineEvents(voices, tierLabels),
    ...createKafkaEvents(voices),
    ...createEndpointEvents(voices),
    ...createConfigurationEvents(voices),
    ...createSchemaRegistryEvents(voices),
  };
}
