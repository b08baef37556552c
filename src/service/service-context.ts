import type { Logger } from 'pino';
import type { Kafka } from '../kafka/client/kafka.ts';
import type { FramedValues } from '../certificates/framing.ts';
import type { Clock } from '../lib/clock.ts';
import type { Settings } from '../settings.ts';
import type { Events } from '../telemetry/events/events.ts';

export interface ServiceContext {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly events: Events;
  readonly clock: Clock;
  /** Reads values in Confluent framing, with schemas from the registry. */
  readonly framed: FramedValues;
  /** The client for consumers. */
  readonly kafka: Kafka;
  /** The client that reads topics, offsets and the configuration of topics, and sets start offsets. */
  readonly admin: Kafka;
  /** Aborts the start. */
  readonly signal: AbortSignal;
}
