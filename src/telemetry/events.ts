import type { Logger } from 'pino';
import type { SchemaRegistryEvents } from '../certificates/registry/schemas.ts';
import type { KafkaEvents } from '../kafka/kafka-events.ts';
import type { Clock } from '../lib/clock.ts';
import type { PipelineEvents } from '../pipeline.ts';
import { createConfigurationEvents, type ConfigurationEvents } from './configuration-events.ts';
import { createEndpointEvents, type EndpointEvents } from './endpoint-events.ts';
import { createKafkaEvents, type SkipEvents } from './kafka-events.ts';
import type { Metrics } from './metrics.ts';
import { createPipelineEvents } from './pipeline-events.ts';
import { createSchemaRegistryEvents } from './schema-registry-events.ts';
import { createWarnings } from './warnings.ts';

/** Everything that happens and is worth telling. One function each: at most one log line, and the metrics it moves. */
export interface Events
  extends PipelineEvents, KafkaEvents, SkipEvents, EndpointEvents, ConfigurationEvents, SchemaRegistryEvents {}

export interface EventsParts {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly clock: Pick<Clock, 'now'>;
  /** The configured tiers in order, as the topics' names have them, such as `10m`: a settlement's tier counts these. */
  readonly tierLabels: readonly string[];
}

export function createEvents({ logger, metrics, clock, tierLabels }: EventsParts): Events {
  const voices = { logger, metrics, warnOnce: createWarnings(logger, clock) };
  return {
    ...createPipelineEvents(voices, tierLabels),
    ...createKafkaEvents(voices),
    ...createEndpointEvents(voices),
    ...createConfigurationEvents(voices),
    ...createSchemaRegistryEvents(voices),
  };
}
