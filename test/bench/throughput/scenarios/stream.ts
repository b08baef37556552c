import { setTimeout } from 'node:timers/promises';
import { connectProducer } from '../../../support/kafka/client.ts';
import { machineTimeMs } from '../../written-at.ts';
import { certificateOf, nameOf } from '../certificates.ts';
import type { BenchEnvironment } from '../environment.ts';

/** Returns the number of certificates that are due within that time. */
export function countIn(ms: number, perSecond: number): number {
  return Math.floor((ms * perSecond) / 1000);
}

interface Stream {
  readonly topic: string;
  readonly owners: number;
  readonly perSecond: number;
  readonly count: number;
}

/** Writes each certificate at its due time, to all owners in turn. No write waits for an earlier one. */
export async function writeStream(
  { kafka }: BenchEnvironment,
  { topic, owners, perSecond, count }: Stream,
): Promise<void> {
  await using producer = await connectProducer(kafka);
  const start = machineTimeMs();
  const dueAt = (number: number): number => start + (number * 1000) / perSecond;
  const writes: Promise<unknown>[] = [];
  let next = 0;
  while (next < count) {
    const due = Math.min(count, countIn(machineTimeMs() - start, perSecond) + 1);
    const messages = Array.from({ length: due - next }, (_, index) => {
      const owner = ((next + index) * 7919) % owners;
      return { key: nameOf(owner), value: certificateOf(next + index, owner, dueAt(next + index)) };
    });
    if (messages.length > 0) writes.push(producer.send({ topic, messages }));
    next = due;
    await setTimeout(1);
  }
  await Promise.all(writes);
}
