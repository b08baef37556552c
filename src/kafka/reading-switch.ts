import type { Consumer } from 'kafkajs';

/** Topics with their partitions. */
export type Partitions = Readonly<Record<string, readonly number[]>>;

/** Turns the reading of partitions off, or on again. */
export function turnReading(
  consumer: Pick<Consumer, 'pause' | 'resume'>,
  to: 'pause' | 'resume',
  which: Partitions,
): void {
  const partitions = Object.entries(which).map(([topic, numbers]) => ({ topic, partitions: [...numbers] }));
  try {
    consumer[to](partitions);
  } catch {
    // It is between two lives: after the next join all partitions are read.
  }
}
