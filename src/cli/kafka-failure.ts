import { oneLine } from '../lib/one-line.ts';
import { kafkaRemedy } from '../telemetry/events/kafka-remedy.ts';

/** Describes a failed Kafka request: the reason, and the settings to check if settings can be the cause. */
export function kafkaFailure(error: unknown): string {
  const reason = oneLine(error instanceof Error ? error.message : String(error));
  const remedy = kafkaRemedy(error);
  return `Kafka can't be reached or refuses: ${reason}${remedy === undefined ? '' : ` (${remedy})`}`;
}
