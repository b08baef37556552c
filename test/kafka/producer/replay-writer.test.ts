import { describe, expect, it } from 'vitest';
import type { Kafka } from '../../../src/kafka/client/kafka.ts';
import { ReplayRefusedError, ReplayWriter } from '../../../src/kafka/producer/replay-writer.ts';
import { aDelivery, aRecord } from '../../support/builders.ts';
import { ManualClock } from '../../support/time/manual-clock.ts';

/** Builds a writer to brokers that accept every write until `refuse` is called. */
function aWriter() {
  const clock = new ManualClock();
  const warnings: string[] = [];
  const written: { readonly topic: string; readonly records: number }[] = [];
  let refusal: Error | undefined;
  const kafka: Pick<Kafka, 'producer'> = {
    producer: () => ({
      connect: () => Promise.resolve(),
      disconnect: () => Promise.resolve(),
      send: async ({ topic, messages }) => {
        if (refusal !== undefined) throw refusal;
        written.push({ topic, records: messages.length });
        return Promise.resolve([{ topicName: topic, partition: 0, errorCode: 0 }]);
      },
    }),
  };
  const writer = new ReplayWriter({
    kafka,
    tier: { topic: 'tier', delayMs: 10_000 },
    deadLetterTopic: 'dead',
    compression: 'none',
    clock,
    warn: (text) => warnings.push(text),
  });
  return { clock, warnings, written, writer, refuse: (error: Error | undefined) => void (refusal = error) };
}

const deliveries = Array.from({ length: 700 }, () => ({
  delivery: aDelivery({ body: Buffer.from('{}') }),
  letter: undefined,
}));

describe('ReplayWriter', () => {
  it('writes in batches, and resolves once all records are acknowledged', async () => {
    const { clock, writer, written } = aWriter();
    const writing = writer.publishRetries(deliveries);
    await clock.advance(10);
    expect(await writing).toEqual(deliveries.map(() => 'written'));
    const marking = writer.markReplayed([{ of: 'record', record: aRecord() }]);
    await clock.advance(10);
    await marking;
    expect(written).toEqual([
      ...Array.from({ length: 14 }, () => ({ topic: 'tier', records: 50 })),
      { topic: 'dead', records: 1 },
    ]);
    expect(await writer.publishRetries([])).toEqual([]);
  });

  it('tries again for half a minute while the brokers refuse, and then gives up', async () => {
    const { clock, writer, written, warnings, refuse } = aWriter();
    refuse(new Error('not now'));
    const first = writer.publishRetries(deliveries.slice(0, 1));
    await clock.advance(20_000);
    expect([written, warnings[0]]).toEqual([[], "tier can't be written to: not now; trying again"]);
    refuse(undefined);
    await clock.advance(15_000);
    expect(await first).toEqual(['written']);

    refuse(new Error('never'));
    const second = writer.publishRetries(deliveries.slice(0, 1));
    await Promise.all([expect(second).rejects.toThrow(ReplayRefusedError), clock.advance(45_000)]);
    const closing = writer[Symbol.asyncDispose]();
    await clock.advance(10_000);
    await closing;
  });
});
