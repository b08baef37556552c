import type { Kafka } from '../../../src/kafka/client/kafka.ts';
import type { FlowControl } from '../../../src/flow/flow-control.ts';
import type { Pool } from '../../../src/deliveries/delivery.ts';
import type { Intake } from '../../../src/kafka/consumer/admission.ts';
import type { Events } from '../../../src/telemetry/events/events.ts';

/** Observes what one process does. The functions wrap its parts and must not change what these do. */
export interface Observers {
  readonly events: Events;
  readonly kafka: (kafka: Kafka) => Kafka;
  readonly intake: (intake: Intake) => Intake;
  /** Wraps the intake of a group together with the flow control that counts its records, and their limit. */
  readonly flow: (
    intake: Intake,
    counted: { readonly flow: FlowControl; readonly maxRecords: number; readonly pool: Pool },
  ) => Intake;
  /** Called once a consumer has given up. */
  readonly failed: (error: Error) => void;
}
