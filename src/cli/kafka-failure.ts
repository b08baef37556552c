import { oneLine } from '../lib/one-line.ts';
import { kafkaRemedy } from '../telemetry/events/kafka-remedy.ts';

/** That Kafka can't be reached or refuses, why, and which settings to look at if any is to blame. */
export function kafkaFailure(error: unknown): string {
  const reason = oneLine(error instanceof Error ? error.message : String(error));
  const remedy = kafkaRemedy(error);
  return `Kafka can't be reached or refuses: ${reason}${remedy === undefined ? '' : ` (${remedy})`}`;
}
