import type { Logger } from 'pino';
import type { FramedValues } from '../certificates/framing.ts';
import type { Kafka } from '../kafka/client/kafka-client.ts';
import type { Clock } from '../lib/clock.ts';
import type { Settings } from '../settings.ts';
import type { Events } from '../telemetry/events/events.ts';

/** What most parts are built from. */
export interface ServiceContext {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly events: Events;
  readonly clock: Clock;
  /** By the schema registry. */
  readonly framed: FramedValues;
  /** The client that consumes. */
  readonly kafka: Kafka;
  /** The client that asks what topics, offsets and settings there are. */
  readonly admin: Kafka;
  /** Calls off the start. */
  readonly signal: AbortSignal;
}
