import { inject, type TestOptions } from 'vitest';
import { skippedWithout } from '../programs/needs.ts';

/**
 * Returns the options of tests that need Apache Kafka. Where the memory broker stands in for it they are skipped, and the
 * last lines of the run name the programs that are missing.
 */
export function needsKafka(): TestOptions {
  return skippedWithout(inject('kafkaLacks'));
}
